import { byId, fieldOf, onSubmit, setOptions } from './dom.js';
import { fillIn, idIn, labelOfUser, startPicker } from './picker.js';
import { act, showToast } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const form = /** @type {HTMLElement} */ (byId('trigger').querySelector('form'));

/** @param {string} name */
function select(name) {
  return /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (fieldOf(form, name)));
}

export function startTrigger() {
  startPicker(fieldOf(form, 'user_id'), 'users');
  onSubmit(form, ({ topic, user_id, resource, subscription, seconds, fields = '' }) => {
    const body = { topic, resource, user_id: Number(idIn(user_id)), afterMs: Number(seconds) * 1000 };
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
export function showTrigger({ topics, users, callbacks }) {
  setOptions(
    select('topic'),
    topics.map((topic) => ({ value: topic, label: topic })),
  );
  fillIn(fieldOf(form, 'user_id'), users[0] && labelOfUser(users[0]));
  setOptions(select('subscription'), [
    { value: '', label: 'all that subscribe to the topic' },
    ...callbacks.map(toOption),
  ]);
}

/** @param {Snapshot['callbacks'][number]} subscription */
export function toOption({ id, callback }) {
  return { value: id, label: `${id}: ${callback ?? 'a function'}` };
}
