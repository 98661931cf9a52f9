import type { Snapshot } from '../snapshot.js';
import {
  ago,
  button,
  buyerIn,
  card,
  chip,
  form,
  heading,
  idIn,
  joined,
  list,
  named,
  noteOf,
  select,
  submit,
  toggle,
  useFinder,
  userField,
} from './parts.js';
import type { Choices, Fields, PanelProps } from './parts.js';
import { html, type VNode } from './preact.js';
import { post } from './server.js';

type Conversation = Snapshot['conversations'][number];

const shippings = named(['flex', 'cross_docking', 'drop_off', 'fulfilment', 'custom']);
const reasons = ['cancelled_order', 'time', 'mediation', 'payment', 'buyer'].map(
  (reason) => [`blocked_by_${reason}`, reason.replace('_', ' ')] as const,
);

/** The sales, with their messages. */
export function Conversations({ state }: PanelProps): VNode {
  const { entries, note, field } = useFinder('conversations', state);
  const none = state.counts.conversations === 0 && 'No conversations yet.';
  const drawn = entries.map((each) => drawConversation(each, Date.parse(state.now)));
  return html`
    <h2>Conversations</h2>
    ${saleForm(state)} ${moderation(state)} ${heading(html`<h3>All conversations</h3>`, field)}
    ${list('conversation', note, none, drawn)}
  `;
}

function saleForm(state: Snapshot): VNode {
  const sell = ({ seller_id, buyer_id, shipping }: Fields): Promise<boolean> => {
    const users = { seller_id: Number(idIn(seller_id)), buyer_id: Number(idIn(buyer_id)) };
    return post('packs', { ...users, shipping }, 'Added the sale');
  };
  const fields = html`
    <h3>Add a sale</h3>
    <div class="row">
      ${userField('Seller', 'seller_id', state.users[0])} ${userField('Buyer', 'buyer_id', buyerIn(state))}
      <label>Shipping ${select(shippings, { name: 'shipping' })}</label>
    </div>
  `;
  return form('card form', sell, fields, submit('Add the sale'));
}

function moderation({ moderation: { mode, pending } }: Snapshot): VNode {
  const isLater = mode === 'later';
  const messages = `${pending} ${pending === 1 ? 'message is' : 'messages are'} pending`;
  const change = (later: boolean): unknown => post('moderation', { mode: later ? 'later' : 'atOnce' }, 'Changed');
  const told = pending > 0 ? messages : isLater ? 'New messages stay pending.' : 'Messages are moderated at once.';
  return html`
    <div class="card heading">
      <div>
        <h3>Moderation</h3>
        <p class="small">${told}</p>
      </div>
      <div class="actions">
        ${toggle('Later', isLater, change)}
        ${pending > 0 && button('Moderate now', () => post('moderation', { run: true }, 'Moderated'))}
      </div>
    </div>
  `;
}

function drawConversation(conversation: Conversation, now: number): VNode {
  const { pack, seller, buyer, blockedBy, shipping, delivered, inMediation, exceptedCase, messages } = conversation;
  const facts = [
    shipping.replace('_', ' '),
    delivered && 'delivered',
    inMediation && 'in mediation',
    exceptedCase && 'excepted case',
  ];
  const unblock = (): unknown => post('conversations', { pack, blockedBy: null }, 'Unblocked');
  const block = (fields: Fields): unknown => post('conversations', { pack, ...fields }, 'Blocked');
  const reason = select(reasons, { name: 'blockedBy', 'aria-label': 'Reason of the block' });
  return card(
    { key: pack, 'aria-label': `Conversation of pack ${pack}` },
    html`<strong>${buyer}</strong> and <strong>${seller}</strong>`,
    blockedBy === null ? chip('open', 'good') : chip(blockedBy.replaceAll('_', ' '), 'warning'),
    html`
      <p class="small"><span class="mono">${pack}</span> · ${joined(facts, ' · ')}</p>
      <ul class="chat">
        ${messages.map((message) => drawMessage(message, now))}
      </ul>
      ${messageForm(conversation)}
      ${blockedBy === null ? form('line', block, reason, submit('Block', '')) : button('Unblock', unblock)}
    `,
  );
}

function drawMessage(message: Conversation['messages'][number], now: number): VNode {
  const { id, from, text, sentAt, moderation: status, reason, option, files, readAt } = message;
  const judged = status !== 'clean' && `${status}${reason === null ? '' : `: ${reason}`}`;
  const notes = [ago(now - sentAt), option && `through ${option}`, ...files, readAt !== null && 'read', judged];
  return html`
    <li key=${id} class="bubble ${from}${judged ? ' rejected' : ''}">
      <span class="hidden">${from}: </span>${text}<span class="small">${joined(notes, ' · ')}</span>
    </li>
  `;
}

function messageForm({ pack, buyer, seller }: Conversation): VNode {
  const send = async (fields: Fields, element: HTMLFormElement): Promise<void> => {
    const input = element.elements.namedItem('text') as HTMLInputElement;
    if (await post('messages', { pack, ...fields }, 'Sent')) input.value = '';
  };
  const senders: Choices = [
    ['buyer', buyer],
    ['seller', seller],
  ];
  const attributes = { 'aria-label': `Message in pack ${pack}`, placeholder: 'Write a message' };
  const input = html`<input name="text" required maxlength="3500" ...${attributes} />`;
  return form('line', send, select(senders, { name: 'from', 'aria-label': 'Sender' }), input, submit('Send', ''));
}

/** The uploaded files. */
export function Files({ state }: PanelProps): VNode {
  const none = state.files.length === 0 && 'No files yet.';
  const drawn = state.files.map((file) => drawFile(file, Date.parse(state.now)));
  return html`
    <h2>Files</h2>
    <p class="lead">The uploaded files. A file that no message uses expires.</p>
    ${list('file', noteOf('files', state), none, drawn, 'ul', 'rows card')}
  `;
}

function drawFile(file: Snapshot['files'][number], now: number): VNode {
  const { id, filename, type, size, nickname, site_id, storedAt, inUse } = file;
  const stored = html`<time datetime=${new Date(storedAt).toISOString()}>${ago(now - storedAt)}</time>`;
  return html`
    <li key=${id}>
      <div class="about">
        <strong>${filename}</strong>
        <p class="small">${type}, ${sizeOf(size)} · ${nickname}, ${site_id} · ${stored}</p>
        <p class="small mono">${id}</p>
      </div>
      ${inUse ? chip('in a message', 'good') : chip('not used')}
    </li>
  `;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
