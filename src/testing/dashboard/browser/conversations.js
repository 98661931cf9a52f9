import { ago, byId, h, showList } from './dom.js';
import { startFinder } from './finder.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */
/** @typedef {Snapshot['conversations'][number]} Conversation */

const reasons = [
  'blocked_by_cancelled_order',
  'blocked_by_time',
  'blocked_by_mediation',
  'blocked_by_payment',
  'blocked_by_buyer',
];
let now = 0;

const finder = startFinder('conversations', (conversations) =>
  showList(byId('conversation-list'), conversations, ({ pack }) => pack, draw),
);

/** @param {Snapshot} state */
export function showConversations(state) {
  now = Date.parse(state.now);
  byId('no-conversations').hidden = state.counts.conversations > 0;
  void finder.update(state);
}

/**
 * Keeps the form while messages come in, because it may contain a draft.
 *
 * @param {Conversation} conversation
 * @param {HTMLElement | undefined} before
 */
function draw(conversation, before) {
  const card = before ?? empty(conversation);
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (card.querySelector(`[data-part=${name}]`));
  const { blockedBy, shipping, delivered, inMediation, exceptedCase, messages } = conversation;
  const facts = [
    shipping.replace('_', ' '),
    delivered && 'delivered',
    inMediation && 'in mediation',
    exceptedCase && 'excepted case',
  ];
  part('facts').textContent = facts.filter(Boolean).join(' · ');
  part('state').textContent = blockedBy === null ? 'open' : blockedBy.replaceAll('_', ' ');
  part('state').className = `chip ${blockedBy === null ? 'good' : 'warning'}`;
  part('messages').replaceChildren(...messages.map(drawMessage));
  part('block').hidden = blockedBy !== null;
  part('unblock').hidden = blockedBy === null;
  return card;
}

/** @param {Conversation['messages'][number]} message */
function drawMessage({ from, text, sentAt, moderation, reason, option, files, readAt }) {
  const notes = [
    ago(now - sentAt),
    option && `through ${option}`,
    ...files,
    readAt !== null && 'read',
    moderation !== 'clean' && `${moderation}${reason === null ? '' : `: ${reason}`}`,
  ];
  return h(
    'li',
    { class: `bubble ${from}${moderation === 'clean' ? '' : ' rejected'}` },
    h('span', { class: 'hidden' }, `${from}: `),
    text,
    h('span', { class: 'small' }, notes.filter(Boolean).join(' · ')),
  );
}

/** @param {Conversation} conversation */
function empty({ pack, seller, buyer }) {
  return h(
    'article',
    { class: 'card', 'aria-label': `Conversation of pack ${pack}` },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, buyer), ' and ', h('strong', {}, seller)),
      h('span', { 'data-part': 'state' }),
    ),
    h('p', { class: 'small' }, h('span', { class: 'mono' }, pack), ' · ', h('span', { 'data-part': 'facts' })),
    h('ul', { class: 'chat', 'data-part': 'messages' }),
    messageForm(pack, buyer, seller),
    blockForm(pack),
    h(
      'button',
      {
        type: 'button',
        'data-part': 'unblock',
        click: () => void act('POST', 'conversations', { pack, blockedBy: null }, 'Unblock'),
      },
      'Unblock',
    ),
  );
}

/**
 * @param {import('../../state/pack-id.js').PackId} pack
 * @param {string} buyer
 * @param {string} seller
 */
function messageForm(pack, buyer, seller) {
  const sender = h(
    'select',
    { 'aria-label': 'Sender' },
    h('option', { value: 'buyer' }, buyer),
    h('option', { value: 'seller' }, seller),
  );
  const input = h('input', {
    required: true,
    maxlength: 3500,
    'aria-label': `Message in pack ${pack}`,
    placeholder: 'Write a message',
  });
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (await act('POST', 'messages', { pack, from: sender.value, text: input.value }, 'Sent')) input.value = '';
  };
  return h(
    'form',
    { class: 'line', submit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    sender,
    input,
    h('button', { type: 'submit' }, 'Send'),
  );
}

/** @param {import('../../state/pack-id.js').PackId} pack */
function blockForm(pack) {
  const reason = h(
    'select',
    { 'aria-label': 'Reason of the block' },
    ...reasons.map((value) => h('option', { value }, value.replace('blocked_by_', '').replaceAll('_', ' '))),
  );
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void act('POST', 'conversations', { pack, blockedBy: reason.value }, 'Blocked');
  };
  return h('form', { class: 'line', 'data-part': 'block', submit }, reason, h('button', { type: 'submit' }, 'Block'));
}
