import { byId, setOptions, h, showList } from './dom.js';
import { showCount, startFinder } from './finder.js';
import { act } from './server.js';
import { showShipments } from './shipments.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const states = ['active', 'paused', 'closed', 'under_review'].map((value) => ({
  value,
  label: value.replace('_', ' '),
}));

const finder = startFinder('items', (items) => showList(byId('item-list'), items, ({ item_id }) => item_id, drawItem));

/** @param {Snapshot} state */
export function showFlex(state) {
  byId('no-items').hidden = state.counts.items > 0;
  void finder.update(state);
  byId('no-subscriptions').hidden = state.counts.subscriptions > 0;
  showCount('subscriptions', state);
  showList(byId('subscription-list'), state.subscriptions, ({ id }) => id, drawSubscription);
  showShipments(state);
}

/**
 * @param {Snapshot['items'][number]} item
 * @param {HTMLElement | undefined} before
 */
function drawItem({ item_id, title, status, flex, down }, before) {
  const card = before ?? emptyItem(item_id, title);
  const state = /** @type {HTMLSelectElement} */ (card.querySelector('select'));
  const toggle = /** @type {HTMLElement} */ (card.querySelector('[role=switch]'));
  setOptions(state, states);
  state.value = status;
  toggle.setAttribute('aria-checked', String(flex));
  toggle.textContent = down ? 'Flex not available' : flex ? 'Flex on' : 'Flex off';
  return card;
}

/**
 * @param {string} item_id
 * @param {string} title
 */
function emptyItem(item_id, title) {
  const status = h('select', {
    'aria-label': `Status of ${title}`,
    change: () => void act('POST', 'items', { item_id, status: status.value }, 'Changed'),
  });
  const toggle = h('button', {
    type: 'button',
    role: 'switch',
    'aria-label': `Flex for ${title}`,
    click: () => void flip(),
  });
  const flip = () => {
    const enabled = toggle.getAttribute('aria-checked') !== 'true';
    return act('POST', 'flex-items', { item_id, enabled }, enabled ? 'Flex enabled' : 'Flex disabled');
  };
  return h(
    'article',
    { class: 'card item' },
    h('div', {}, h('p', { class: 'about' }, title), h('p', { class: 'small mono' }, item_id)),
    h('div', { class: 'line' }, status, toggle),
  );
}

/**
 * @param {number} id
 * @param {string} whose
 * @param {string} status
 */
function statusSelect(id, whose, status) {
  const select = h(
    'select',
    {
      'aria-label': `Status of the subscription of ${whose}`,
      change: () => void act('POST', 'flex-subscriptions', { id, status: select.value }, 'Changed'),
    },
    ...['in', 'out', 'pending'].map((value) => h('option', { value, selected: value === status }, value)),
  );
  return select;
}

/**
 * @param {number} user_id
 * @param {string} mode
 * @param {string} status
 */
function shipButton(user_id, mode, status) {
  if (mode !== 'FLEX' || status !== 'in') return null;
  const ship = () => void act('POST', 'shipments', { user_id }, 'Added a shipment');
  return h('button', { type: 'button', click: ship }, 'New shipment');
}

/** @param {Snapshot['subscriptions'][number]} subscription */
function drawSubscription(subscription) {
  const { id, user_id, nickname, mode, status, service_id, delivery_window, zoneNames, delivery_ranges } = subscription;
  const ranges = Object.entries(delivery_ranges).map(
    ([day, list]) => `${day} ${list.map(({ from, to }) => `${from}–${to} h`).join(', ')}`,
  );
  return h(
    'article',
    { class: 'card' },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, nickname), ` · ${mode}`),
      h('span', { class: `chip ${status === 'in' ? 'good' : 'open'}` }, status),
    ),
    h(
      'p',
      { class: 'small' },
      h('span', { class: 'mono' }, `service ${service_id}`),
      ` · ${delivery_window.replace('_', ' ')} · ${ranges.join('; ')}`,
    ),
    h('p', { class: 'small' }, `Zones: ${zoneNames.join(', ') || 'none'}`),
    h('div', { class: 'line' }, statusSelect(id, `${nickname}, ${mode}`, status), shipButton(user_id, mode, status)),
  );
}
