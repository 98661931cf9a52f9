import type { Snapshot } from '../snapshot.js';
import {
  useFinder,
  button,
  card,
  chip,
  form,
  heading,
  list,
  named,
  noteOf,
  select,
  submit,
  toggle,
  valueOf,
} from './parts.js';
import type { PanelProps, Fields } from './parts.js';
import { html, type VNode } from './preact.js';
import { post } from './server.js';

const itemStatuses = named(['active', 'paused', 'closed', 'under_review']);
const subscriptionStatuses = named(['in', 'out', 'pending']);

/** The items, and what Flex has of them. */
export function Flex({ state }: PanelProps): VNode {
  const { entries, note, field } = useFinder('items', state);
  const { counts, subscriptions, shipments } = state;
  const noSubscriptions = counts.subscriptions === 0 && 'No Flex subscriptions yet.';
  const noShipments = counts.shipments === 0 && 'No shipments yet.';
  return html`
    ${heading(html`<h2>Items and Flex</h2>`, field)}
    ${list('item', note, counts.items === 0 && 'No items yet.', entries.map(drawItem))}
    <h3>Flex subscriptions</h3>
    ${list('subscription', noteOf('subscriptions', state), noSubscriptions, subscriptions.map(drawSubscription))}
    <h3>Shipments</h3>
    ${list('shipment', noteOf('shipments', state), noShipments, shipments.map(drawShipment))}
  `;
}

function drawItem({ item_id, title, status, flex, down }: Snapshot['items'][number]): VNode {
  const change = (event: Event): unknown => post('items', { item_id, status: valueOf(event) }, 'Changed');
  const flip = (enabled: boolean): unknown =>
    post('flex-items', { item_id, enabled }, enabled ? 'Flex enabled' : 'Flex disabled');
  const label = down ? 'Flex not available' : flex ? 'Flex on' : 'Flex off';
  return html`
    <article key=${item_id} class="card">
      <div>
        <p class="about">${title}</p>
        <p class="small mono">${item_id}</p>
      </div>
      <div class="line">
        ${select(itemStatuses, { 'aria-label': `Status of ${title}`, value: status, onChange: change })}
        ${toggle(label, flex, flip, { 'aria-label': `Flex for ${title}` })}
      </div>
    </article>
  `;
}

function drawSubscription(subscription: Snapshot['subscriptions'][number]): VNode {
  const { id, user_id, nickname, mode, status, service_id, delivery_window, zoneNames, delivery_ranges } = subscription;
  const ranges = Object.entries(delivery_ranges).map(
    ([day, hours]) => `${day} ${hours.map(({ from, to }) => `${from}–${to} h`).join(', ')}`,
  );
  const change = (event: Event): unknown => post('flex-subscriptions', { id, status: valueOf(event) }, 'Changed');
  const ship = (): unknown => post('shipments', { user_id }, 'Added a shipment');
  const label = `Status of the subscription of ${nickname}, ${mode}`;
  return card(
    { key: id },
    html`<strong>${nickname}</strong> · ${mode}`,
    chip(status, status === 'in' ? 'good' : 'open'),
    html`
      <p class="small">
        <span class="mono">service ${service_id}</span> · ${delivery_window.replace('_', ' ')} · ${ranges.join('; ')}
      </p>
      <p class="small">Zones: ${zoneNames.join(', ') || 'none'}</p>
      <div class="line">
        ${select(subscriptionStatuses, { 'aria-label': label, value: status, onChange: change })}
        ${mode === 'FLEX' && status === 'in' && button('New shipment', ship)}
      </div>
    `,
  );
}

function drawShipment({ shipment_id, nickname, driver_id }: Snapshot['shipments'][number]): VNode {
  const set = (driver: number | null, done: string): unknown =>
    post('drivers', { shipment_id, driver_id: driver }, done);
  const assign = ({ driver }: Fields): unknown => set(Number(driver), 'Assigned the driver');
  const attributes = { placeholder: 'Driver id', 'aria-label': `Driver of shipment ${shipment_id}` };
  const input = html`<input name="driver" type="number" min="1" required ...${attributes} />`;
  const remove = driver_id !== null && button('Remove', () => set(null, 'Removed the driver'));
  return card(
    { key: shipment_id, 'aria-label': `Shipment ${shipment_id}` },
    html`<strong>${nickname}</strong> · <span class="mono">${shipment_id}</span>`,
    driver_id === null ? chip('no driver', 'warning') : chip(`driver ${driver_id}`, 'good'),
    form('line', assign, input, submit('Assign', ''), remove),
  );
}
