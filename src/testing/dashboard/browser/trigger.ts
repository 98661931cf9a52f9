import type { Snapshot } from '../snapshot.js';
import { field, fold, form, select, submit } from './parts.js';
import type { Choices, Fields } from './parts.js';
import { idIn, userField } from './picker.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';
import { showToast } from './toast.js';

/** The form that sends any notification. */
export function triggerForm(state: Snapshot): VNode {
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
export function receivers({ callbacks }: Snapshot, first: string): Choices {
  return [['', first], ...callbacks.map(({ id, callback }) => [id, `${id}: ${callback ?? 'a function'}`] as const)];
}
