import type { Snapshot } from '../snapshot.js';
import { button, card, chip, field, fold, form, heading, list, noteOf, submit } from './parts.js';
import type { Fields } from './parts.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { act, post } from './server.js';

/** The form that subscribes a callback. */
export function subscribeForm(): VNode {
  const subscribe = ({ callback }: Fields, element: HTMLFormElement): unknown =>
    post('notifications', { callback, topics: new FormData(element).getAll('topics') }, 'Subscribed');
  const placeholder = 'http://127.0.0.1:3000/notifications';
  const fields = html`
    ${field('URL', 'callback', { type: 'url', required: true, placeholder })}
    <fieldset class="topics">
      <legend>Topics</legend>
      ${['questions', 'messages'].map(drawTopic)}
    </fieldset>
  `;
  return fold('Subscribe a callback', form('form', subscribe, fields, submit('Subscribe')), { open: true });
}

function drawTopic(topic: string, index: number): VNode {
  return html`
    <label class="check">
      <input type="checkbox" name="topics" value=${topic} defaultChecked=${index === 0} /> ${topic}
    </label>
  `;
}

/** The callbacks that are subscribed. */
export function callbacks(state: Snapshot): VNode {
  const hasNone = state.callbacks.length === 0;
  const endAll = (): unknown => act('DELETE', 'notifications', undefined, 'All subscriptions ended');
  return html`
    ${heading(html`<h3>Callbacks</h3>`, !hasNone && button('End all', endAll))}
    ${list('callback', noteOf('callbacks', state), hasNone && 'No callbacks yet.', state.callbacks.map(draw))}
  `;
}

function draw({ id, application_id, callback, topics }: Snapshot['callbacks'][number]): VNode {
  const end = (): unknown => post('ended-subscriptions', { id }, 'Ended');
  return card(
    { key: id },
    html`<span class="mono">${callback ?? 'a function of the program'}</span>`,
    topics.length === 0 ? chip('switched off', 'bad') : chip(topics.join(', ')),
    heading(
      html`<p class="small">callback ${id} · application ${application_id}</p>`,
      button('End', end, { class: 'quiet' }),
    ),
  );
}
