import type { Snapshot } from '../snapshot.js';
import {
  button,
  card,
  chip,
  field,
  fold,
  form,
  heading,
  idIn,
  list,
  noteOf,
  select,
  submit,
  toggle,
  userField,
} from './parts.js';
import type { Choices, Fields, PanelProps } from './parts.js';
import { html, useState, type VNode } from './preact.js';
import { act, post, showToast } from './server.js';

type Attempt = Snapshot['attempts'][number] | Snapshot['scheduled'][number];

const times: Choices = [
  [0, 'now'],
  [300_000, 'in 5 minutes'],
  [3_600_000, 'in an hour'],
];

/** The callbacks, and what was delivered to them. */
export function Notifications({ state, reveal }: PanelProps): VNode {
  const [isFlushing, setFlushing] = useState(false);
  // The newest notification first, and of each the first attempt.
  const attempts: readonly Attempt[] = [...state.attempts.toReversed(), ...state.scheduled];
  const deliveries = [...Map.groupBy(attempts, ({ id }) => id).values()].reverse();
  const hold = (held: boolean): unknown => post('held-notifications', { held }, held ? 'Held' : 'No longer held');
  const flush = async (): Promise<void> => {
    setFlushing(true);
    await post('flush', {}, 'All scheduled notifications were posted');
    setFlushing(false);
  };
  const buttons = html`
    <div class="actions">
      ${toggle('Hold new ones', state.isHeld, hold)}
      ${state.scheduled.length > 0 && button('Post scheduled ones now', flush, { disabled: isFlushing })}
    </div>
  `;
  const drawn = deliveries.map((delivery) => drawDelivery(delivery, state, reveal));
  return html`
    <h2>Notifications</h2>
    ${subscribeForm()} ${triggerForm(state)} ${callbacks(state)} ${heading(html`<h3>Deliveries</h3>`, buttons)}
    ${list('delivery', noteOf('attempts', state), drawn.length === 0 && 'No deliveries yet.', drawn)}
  `;
}

function drawDelivery(attempts: readonly Attempt[], state: Snapshot, reveal: PanelProps['reveal']): VNode | undefined {
  const [first] = attempts;
  if (!first) return undefined;
  const { id, body, request, event } = first;
  const cause =
    request === undefined
      ? html`<p class="small">Caused by hand, or by this page</p>`
      : button(`Caused by request ${request}: show it`, () => reveal(request), { class: 'quiet' });
  return card(
    { key: id, 'aria-label': `Notification ${id}` },
    html`<strong>${event.topic}</strong> <span class="mono">${event.resource}</span>`,
    outcomeOf(attempts),
    html`
      <p class="small"><span class="mono">${id}</span> · user ${event.user_id}</p>
      <ol class="attempts">
        ${attempts.map(drawAttempt)}
      </ol>
      <details>
        <summary>Body</summary>
        <pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>
      </details>
      ${cause} ${deliverForm(id, state)}
    `,
  );
}

function drawAttempt(attempt: Attempt): VNode {
  const at = attempt.at.slice(11, 19);
  if ('outcome' in attempt)
    return html`<li>Attempt ${attempt.attempt} at ${at}: <strong>${attempt.outcome}</strong></li>`;
  return html`<li class="small">Attempt ${attempt.attempt} ${attempt.isHeld ? 'is held' : `due at ${at}`}</li>`;
}

function outcomeOf(attempts: readonly Attempt[]): VNode {
  if (attempts.some((attempt) => !('outcome' in attempt))) return chip('waiting', 'warning');
  const isDelivered = attempts.some((attempt) => 'outcome' in attempt && attempt.outcome === 200);
  return isDelivered ? chip('delivered', 'good') : chip('abandoned', 'bad');
}

function deliverForm(id: string, state: Snapshot): VNode {
  const deliver = ({ to, after }: Fields): unknown => {
    const subscription = to === '' ? null : Number(to);
    return post('deliveries', { ids: [id], subscription, afterMs: Number(after) }, 'Delivered');
  };
  const receiver = select(receivers(state, 'to the same callback'), { name: 'to', 'aria-label': `Receiver of ${id}` });
  const time = select(times, { name: 'after', 'aria-label': `Time of ${id}` });
  return form('line', deliver, receiver, time, submit('Deliver again', ''));
}

/** The form that subscribes a callback. */
function subscribeForm(): VNode {
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
function callbacks(state: Snapshot): VNode {
  const hasNone = state.callbacks.length === 0;
  const endAll = (): unknown => act('DELETE', 'notifications', undefined, 'All subscriptions ended');
  return html`
    ${heading(html`<h3>Callbacks</h3>`, !hasNone && button('End all', endAll))}
    ${list('callback', noteOf('callbacks', state), hasNone && 'No callbacks yet.', state.callbacks.map(drawCallback))}
  `;
}

function drawCallback({ id, application_id, callback, topics }: Snapshot['callbacks'][number]): VNode {
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

/** The form that sends any notification. */
function triggerForm(state: Snapshot): VNode {
  const { topics, users } = state;
  const receiver = select(receivers(state, 'all that subscribe to the topic'), { name: 'subscription' });
  const seconds = { type: 'number', min: 0, max: 86_400, defaultValue: 0, required: true };
  const example = '{ "resource": "/questions/1" }';
  const fields = html`
    <p class="small">Of any topic, and with any body: a forged one, for example.</p>
    <div class="row">
      <label>Topic ${select(
        topics.map((topic) => [topic, topic]),
        { name: 'topic' },
      )}</label>
      ${userField('Of the user', 'user_id', users[0])}
    </div>
    ${field('Resource', 'resource', { required: true, defaultValue: '/items/MLA600000001' })}
    <div class="row"><label>To ${receiver}</label>${field('In seconds', 'seconds', seconds)}</div>
    <label>
      Fields of the body to replace, in JSON
      <textarea name="fields" rows="2" class="mono" placeholder=${example} />
    </label>
  `;
  return fold('Trigger a notification', form('form', trigger, fields, submit('Send')), { id: 'trigger' });
}

function trigger({ topic, user_id, resource, subscription, seconds, fields = '' }: Fields): void {
  const body = { topic, resource, user_id: Number(idIn(user_id)), afterMs: Number(seconds) * 1000 };
  const to = subscription === '' ? null : Number(subscription);
  try {
    const replaced = fields.trim() === '' ? null : (JSON.parse(fields) as unknown);
    void post('sent-notifications', { ...body, subscription: to, fields: replaced }, 'Sent');
  } catch {
    showToast('The fields of the body are not valid JSON.', true);
  }
}

/** The choices of a callback. The first has no id. */
function receivers({ callbacks }: Snapshot, first: string): Choices {
  return [['', first], ...callbacks.map(({ id, callback }) => [id, `${id}: ${callback ?? 'a function'}`] as const)];
}
