import { byId, onSubmit, selectOf, setOptions } from './dom.js';
import { act, showToast } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = /** @type {HTMLElement} */ (byId('trigger').querySelector('form'));

export function startTrigger() {
  onSubmit(form, ({ topic, user_id, resource, subscription, seconds, fields = '' }) => {
    const body = { topic, resource, user_id: Number(user_id), afterMs: Number(seconds) * 1000 };
    const to = subscription === '' ? null : Number(subscription);
    try {
      const replaced = fields.trim() === '' ? null : /** @type {unknown} */ (JSON.parse(fields));
      void act('POST', 'sent-notifications', { ...body, subscription: to, fields: replaced }, 'Sent');
    } catch {
      showToast('The fields of the body are not valid JSON.', true);
    }
  });
}

/** @param {Snapshot} state */
export function showTrigger({ topics, users, notifications: { subscriptions } }) {
  setOptions(
    selectOf(form, 'topic'),
    topics.map((topic) => ({ value: topic, label: topic })),
  );
  setOptions(
    selectOf(form, 'user_id'),
    users.map(({ user_id, nickname }) => ({ value: user_id, label: nickname })),
  );
  setOptions(selectOf(form, 'subscription'), [
    { value: '', label: 'all that subscribe to the topic' },
    ...subscriptions.map(toOption),
  ]);
}

/** @param {Snapshot['notifications']['subscriptions'][number]} subscription */
export function toOption({ id, callback }) {
  return { value: id, label: `${id}: ${callback ?? 'a function'}` };
}
