import { byId, h, showList } from './dom.js';
import { act } from './server.js';

/**
 * @typedef {import('../../dashboard/snapshot.js').Snapshot} Snapshot
 * @typedef {Snapshot['notifications']['attempts'][number]} Attempt
 * @typedef {Snapshot['notifications']['scheduled'][number]} Scheduled
 * @typedef {{ id: string, event: Attempt['event'], attempts: Attempt[], scheduled: Scheduled[] }} Delivery
 */

const form = /** @type {HTMLFormElement} */ (byId('subscribe'));
const callback = /** @type {HTMLInputElement} */ (form.elements.namedItem('callback'));

export function startNotifications() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = [...form.querySelectorAll('input')].filter(({ name, checked }) => name === 'topics' && checked);
    const topics = chosen.map(({ value }) => value);
    void act('POST', 'notifications', { callback: callback.value, topics }, 'Subscribed');
  });
  byId('flush').addEventListener('click', () => void flush());
  byId('unsubscribe').addEventListener(
    'click',
    () => void act('DELETE', 'notifications', undefined, 'All subscriptions ended'),
  );
}

async function flush() {
  byId('flush').toggleAttribute('disabled', true);
  await act('POST', 'flush', {}, 'All scheduled notifications were posted');
  byId('flush').toggleAttribute('disabled', false);
}

/** @param {Snapshot} state */
export function showNotifications({ notifications: { attempts, scheduled, subscriptions } }) {
  byId('no-callbacks').hidden = subscriptions.length > 0;
  byId('unsubscribe').hidden = subscriptions.length === 0;
  showList(
    byId('callback-list'),
    subscriptions.map((subscription, index) => ({ index, subscription })),
    ({ index }) => index,
    ({ subscription }) => drawSubscription(subscription),
  );
  const deliveries = grouped(attempts, scheduled);
  byId('no-deliveries').hidden = deliveries.length > 0;
  byId('flush').hidden = scheduled.length === 0;
  showList(byId('delivery-list'), deliveries, ({ id }) => id, drawDelivery);
}

/**
 * Groups attempts by notification, the newest notification first.
 *
 * @param {readonly Attempt[]} attempts
 * @param {readonly Scheduled[]} scheduled
 * @returns {Delivery[]}
 */
function grouped(attempts, scheduled) {
  /** @type {Map<string, Delivery>} */
  const deliveries = new Map();
  const deliveryOf = (/** @type {Pick<Scheduled, 'id' | 'event'>} */ { id, event }) => {
    const delivery = deliveries.get(id) ?? { id, event, attempts: [], scheduled: [] };
    deliveries.set(id, delivery);
    return delivery;
  };
  for (const attempt of attempts) deliveryOf(attempt).attempts.push(attempt);
  for (const attempt of scheduled) deliveryOf(attempt).scheduled.push(attempt);
  return [...deliveries.values()].reverse();
}

/** @param {Snapshot['notifications']['subscriptions'][number]} subscription */
function drawSubscription({ application_id, callback: url, topics }) {
  return h(
    'article',
    { class: 'card' },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about mono' }, url ?? 'a function of the program'),
      topics.length === 0
        ? h('span', { class: 'chip bad' }, 'switched off')
        : h('span', { class: 'chip' }, topics.join(', ')),
    ),
    h('p', { class: 'small' }, `application ${application_id}`),
  );
}

/** @param {Delivery} delivery */
function drawDelivery({ id, event: { topic, resource, user_id }, attempts, scheduled }) {
  return h(
    'article',
    { class: 'card', 'aria-label': `Notification ${id}` },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, topic), ' ', h('span', { class: 'mono' }, resource)),
      chip(attempts, scheduled),
    ),
    h('p', { class: 'small' }, h('span', { class: 'mono' }, id), ` · user ${user_id}`),
    bodyOf(attempts[0] ?? scheduled[0]),
    h(
      'button',
      { type: 'button', click: () => void act('POST', 'deliveries', { ids: [id] }, 'Delivered') },
      'Deliver again',
    ),
    h(
      'ol',
      { class: 'attempts' },
      ...attempts.map(({ attempt, at, outcome }) =>
        h('li', {}, `Attempt ${attempt} at ${timeOf(at)}: `, h('strong', {}, String(outcome))),
      ),
      ...scheduled.map(({ attempt, at }) => h('li', { class: 'small' }, `Attempt ${attempt} due at ${timeOf(at)}`)),
    ),
  );
}

/** @param {Scheduled | Attempt | undefined} attempt */
function bodyOf(attempt) {
  if (!attempt) return null;
  const cause = attempt.request === undefined ? 'Body' : `Body, caused by request ${attempt.request}`;
  return h('details', {}, h('summary', {}, cause), h('pre', { tabindex: 0 }, JSON.stringify(attempt.body, null, 2)));
}

/**
 * @param {readonly Attempt[]} attempts
 * @param {readonly Scheduled[]} scheduled
 */
function chip(attempts, scheduled) {
  if (scheduled.length > 0) return h('span', { class: 'chip warning' }, 'waiting');
  const isDelivered = attempts.some(({ outcome }) => outcome === 200);
  return h('span', { class: `chip ${isDelivered ? 'good' : 'bad'}` }, isDelivered ? 'delivered' : 'abandoned');
}

/** @param {string} iso */
function timeOf(iso) {
  return iso.slice(11, 19);
}
