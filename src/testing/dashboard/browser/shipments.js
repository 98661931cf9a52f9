import { byId, h, showList } from './dom.js';
import { showCount } from './finder.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */
/** @typedef {Snapshot['shipments'][number]} Shipment */

/** @param {Snapshot} state */
export function showShipments(state) {
  const { shipments } = state;
  showCount('shipments', state);
  byId('no-shipments').hidden = shipments.length > 0;
  showList(byId('shipment-list'), shipments, ({ shipment_id }) => shipment_id, draw);
}

/**
 * @param {Shipment} shipment
 * @param {HTMLElement | undefined} before
 */
function draw({ shipment_id, nickname, driver_id }, before) {
  const card = before ?? empty(shipment_id, nickname);
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (card.querySelector(`[data-part=${name}]`));
  part('driver').textContent = driver_id === null ? 'no driver' : `driver ${driver_id}`;
  part('driver').className = `chip ${driver_id === null ? 'warning' : 'good'}`;
  part('remove').hidden = driver_id === null;
  return card;
}

/**
 * @param {number} shipment_id
 * @param {string} seller
 */
function empty(shipment_id, seller) {
  const driver = h('input', {
    type: 'number',
    min: 1,
    required: true,
    placeholder: 'Driver id',
    'aria-label': `Driver of shipment ${shipment_id}`,
  });
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void act('POST', 'drivers', { shipment_id, driver_id: Number(driver.value) }, 'Assigned the driver');
  };
  return h(
    'article',
    { class: 'card', 'aria-label': `Shipment ${shipment_id}` },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, seller), ' · ', h('span', { class: 'mono' }, shipment_id)),
      h('span', { 'data-part': 'driver' }),
    ),
    h(
      'form',
      { class: 'line', submit },
      driver,
      h('button', { type: 'submit' }, 'Assign'),
      h(
        'button',
        {
          type: 'button',
          'data-part': 'remove',
          click: () => void act('POST', 'drivers', { shipment_id, driver_id: null }, 'Removed the driver'),
        },
        'Remove',
      ),
    ),
  );
}
