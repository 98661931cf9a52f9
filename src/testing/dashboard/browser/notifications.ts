import type { Snapshot } from '../snapshot.js';
import { callbacks, subscribeForm } from './callbacks.js';
import type { PanelProps } from './panel.js';
import { button, card, chip, form, heading, list, noteOf, select, submit, toggle } from './parts.js';
import type { Choices, Fields } from './parts.js';
import { html, useState } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';
import { receivers, triggerForm } from './trigger.js';

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
  const drawn = deliveries.map((delivery) => draw(delivery, state, reveal));
  return html`
    <h2>Notifications</h2>
    ${subscribeForm()} ${triggerForm(state)} ${callbacks(state)} ${heading(html`<h3>Deliveries</h3>`, buttons)}
    ${list('delivery', noteOf('attempts', state), drawn.length === 0 && 'No deliveries yet.', drawn)}
  `;
}

function draw(attempts: readonly Attempt[], state: Snapshot, reveal: PanelProps['reveal']): VNode | undefined {
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
