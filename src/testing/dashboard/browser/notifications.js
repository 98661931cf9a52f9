import { byId, h, onSubmit, onSwitch, setOptions, showList } from './dom.js';
import { showCount } from './finder.js';
import { reveal } from './requests.js';
import { act } from './server.js';
import { toOption } from './trigger.js';

/**
 * @typedef {import('../snapshot.js').Snapshot} Snapshot
 * @typedef {Snapshot['attempts'][number]} Attempt
 * @typedef {Snapshot['scheduled'][number]} Scheduled
 * @typedef {{ id: string, event: Attempt['event'], attempts: Attempt[], scheduled: Scheduled[] }} Delivery
 */

const form = byId('subscribe');
const hold = byId('hold');
/** @type {Snapshot['callbacks']} */
let receiving = [];

export function startNotifications() {
  onSubmit(form, ({ callback }) => {
    const chosen = [...form.querySelectorAll('input')].filter(({ name, checked }) => name === 'topics' && checked);
    const topics = chosen.map(({ value }) => value);
    void act('POST', 'notifications', { callback, topics }, 'Subscribed');
  });
  onSwitch(hold, (held) => void act('POST', 'held-notifications', { held }, held ? 'Held' : 'No longer held'));
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
export function showNotifications(state) {
  const { attempts, scheduled, callbacks, isHeld } = state;
  showCount('callbacks', state);
  showCount('attempts', state);
  receiving = callbacks;
  hold.setAttribute('aria-checked', String(isHeld));
  byId('no-callbacks').hidden = callbacks.length > 0;
  byId('unsubscribe').hidden = callbacks.length === 0;
  showList(byId('callback-list'), callbacks, ({ id }) => id, drawSubscription);
  const deliveries = grouped(attempts.toReversed(), scheduled);
  byId('no-deliveries').hidden = deliveries.length > 0;
  byId('flush').hidden = scheduled.length === 0;
  showList(byId('delivery-list'), deliveries, ({ id }) => id, drawDelivery);
  for (const select of byId('delivery-list').querySelectorAll('select')) {
    if (select.name === 'to') setOptions(select, receivers());
  }
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

/** @param {Snapshot['callbacks'][number]} subscription */
function drawSubscription({ id, application_id, callback: url, topics }) {
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
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'small' }, `callback ${id} · application ${application_id}`),
      h(
        'button',
        { type: 'button', class: 'quiet', click: () => void act('POST', 'ended-subscriptions', { id }, 'Ended') },
        'End',
      ),
    ),
  );
}

function receivers() {
  return [{ value: '', label: 'to the same callback' }, ...receiving.map(toOption)];
}

/**
 * @param {Delivery} delivery
 * @param {HTMLElement | undefined} before
 */
function drawDelivery({ id, event: { topic, resource, user_id }, attempts, scheduled }, before) {
  const isOpen = before?.querySelector('details')?.open ?? false;
  const { body, request } = attempts[0] ?? scheduled[0] ?? {};
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
    h(
      'ol',
      { class: 'attempts' },
      ...attempts.map(({ attempt, at, outcome }) =>
        h('li', {}, `Attempt ${attempt} at ${timeOf(at)}: `, h('strong', {}, String(outcome))),
      ),
      ...scheduled.map(({ attempt, at, isHeld }) =>
        h('li', { class: 'small' }, `Attempt ${attempt} ${isHeld ? 'is held' : `due at ${timeOf(at)}`}`),
      ),
    ),
    h('details', { open: isOpen }, h('summary', {}, 'Body'), h('pre', { tabindex: 0 }, JSON.stringify(body, null, 2))),
    request === undefined
      ? h('p', { class: 'small' }, 'Caused by hand, or by this page')
      : h(
          'button',
          { type: 'button', class: 'quiet', click: () => void reveal(request) },
          `Caused by request ${request}: show it`,
        ),
    deliverForm(id),
  );
}

/** @param {string} id */
function deliverForm(id) {
  const to = h('select', { name: 'to', 'aria-label': `Receiver of ${id}` });
  setOptions(to, receivers());
  const after = h(
    'select',
    { name: 'after', 'aria-label': `Time of ${id}` },
    ...[
      { ms: 0, label: 'now' },
      { ms: 300_000, label: 'in 5 minutes' },
      { ms: 3_600_000, label: 'in an hour' },
    ].map(({ ms, label }) => h('option', { value: ms }, label)),
  );
  const form = h('form', { class: 'line' }, to, after, h('button', { type: 'submit' }, 'Deliver again'));
  onSubmit(form, () => {
    const subscription = to.value === '' ? null : Number(to.value);
    void act('POST', 'deliveries', { ids: [id], subscription, afterMs: Number(after.value) }, 'Delivered');
  });
  return form;
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
