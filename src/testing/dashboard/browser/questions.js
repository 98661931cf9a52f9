import { ago, byId, fieldOf, h, showList } from './dom.js';
import { startFinder } from './finder.js';
import { fillIn, idIn, labelOfItem, labelOfUser, startPicker } from './picker.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */
/** @typedef {Snapshot['questions'][number]} Question */

const form = /** @type {HTMLFormElement} */ (byId('ask'));
const from = fieldOf(form, 'from');
const item = fieldOf(form, 'item_id');
const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text'));
let now = 0;
const finder = startFinder('questions', (questions) =>
  showList(byId('question-list'), questions, ({ id }) => id, draw),
);

export function startQuestions() {
  startPicker(from, 'users');
  startPicker(item, 'items');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
}

async function ask() {
  const body = { from: Number(idIn(from.value)), item_id: idIn(item.value), text: text.value };
  if (!(await act('POST', 'questions', body, 'Asked'))) return;
  text.value = '';
  text.focus();
}

/** @param {Snapshot} state */
export function showQuestions(state) {
  now = Date.parse(state.now);
  // Users without items are the buyers.
  const buyer = state.users.findLast(({ sells }) => !sells);
  const active = state.items.findLast(({ status }) => status === 'active');
  fillIn(from, buyer && labelOfUser(buyer));
  fillIn(item, active && labelOfItem(active));
  byId('no-questions').hidden = state.counts.questions > 0;
  void finder.update(state);
}

/** @param {Question} question */
function draw({ id, from: asker, title, item_id, text: questionText, askedAt, answer, status, seller, ...marks }) {
  return h(
    'article',
    { class: 'card', 'aria-label': `Question ${id}` },
    h(
      'div',
      { class: 'heading' },
      h('p', { class: 'about' }, h('strong', {}, asker), ' about ', title),
      h(
        'span',
        { class: `chip ${status === 'ANSWERED' ? 'good' : status === 'UNANSWERED' ? 'open' : 'warning'}` },
        status.toLowerCase().replace('_', ' '),
      ),
    ),
    h('p', { class: 'bubble buyer' }, questionText),
    answer &&
      h('p', { class: 'bubble seller' }, answer.text, answer.status === 'DISABLED' && h('em', {}, ' (disabled)')),
    h(
      'p',
      { class: 'small' },
      h('span', { class: 'mono' }, `${id} · ${item_id}`),
      ` · ${ago(now - askedAt)}`,
      marks.hidden && ' · hidden',
      marks.hold && ' · held back',
      marks.deleted_from_listing && ' · not in the listing',
    ),
    status === 'UNANSWERED' && !marks.hold && !marks.deleted_from_listing && answerForm(id, seller),
    moderate(id, status, answer?.status),
  );
}

/**
 * What moderation can do with a question.
 *
 * @param {number} question_id
 * @param {string} status
 * @param {string | undefined} answerStatus
 */
function moderate(question_id, status, answerStatus) {
  if (status === 'BANNED' || status === 'DELETED') return null;
  const button = (/** @type {string} */ label, /** @type {string} */ path, /** @type {string} */ done) =>
    h('button', { type: 'button', class: 'quiet', click: () => void act('POST', path, { question_id }, done) }, label);
  return h(
    'div',
    { class: 'actions' },
    button('Ban the question', 'bans', 'Banned'),
    answerStatus === 'ACTIVE' && button('Disable the answer', 'disabled-answers', 'Disabled'),
  );
}

/**
 * @param {number} question_id
 * @param {string} seller
 */
function answerForm(question_id, seller) {
  const input = h('input', {
    name: 'text',
    required: true,
    maxlength: 2000,
    'aria-label': `Answer question ${question_id} as ${seller}`,
    placeholder: `Answer as ${seller}`,
  });
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (await act('POST', 'answers', { question_id, text: input.value }, 'Answered'))
      text.focus({ preventScroll: true });
  };
  return h(
    'form',
    { class: 'line', submit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    input,
    h('button', { type: 'submit' }, 'Answer'),
  );
}
