import { ago, byId, setOptions, h, showList } from './dom.js';
import { act } from './server.js';
import { count } from './tabs.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */
/** @typedef {Snapshot['questions'][number]} Question */

const form = /** @type {HTMLFormElement} */ (byId('ask'));
const from = /** @type {HTMLSelectElement} */ (form.elements.namedItem('from'));
const item = /** @type {HTMLSelectElement} */ (form.elements.namedItem('item_id'));
const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text'));
let now = 0;

export function startQuestions() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
}

async function ask() {
  const body = { from: Number(from.value), item_id: item.value, text: text.value };
  if (!(await act('POST', 'questions', body, 'Asked'))) return;
  text.value = '';
  text.focus();
}

/** @param {Snapshot} state */
export function showQuestions(state) {
  const { users, items, questions } = state;
  now = Date.parse(state.now);
  const sellers = new Set(items.map(({ seller_id }) => seller_id));
  // Users without items come first: they are the buyers.
  const buyers = [...users].sort((a, b) => Number(sellers.has(a.user_id)) - Number(sellers.has(b.user_id)));
  setOptions(
    from,
    buyers.map(({ user_id, nickname }) => ({ value: user_id, label: nickname })),
  );
  setOptions(
    item,
    items.map(({ item_id, title, status }) => ({
      value: item_id,
      label: status === 'active' ? title : `${title} (${status})`,
    })),
  );
  byId('no-questions').hidden = questions.length > 0;
  count('questions', questions.filter(({ status }) => status === 'UNANSWERED').length);
  showList(byId('question-list'), questions, ({ id }) => id, draw);
}

/** @param {Question} question */
function draw({ id, from: asker, title, item_id, text: questionText, askedAt, answer, status, seller, hidden }) {
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
      hidden && ' · hidden',
    ),
    status === 'UNANSWERED' && answerForm(id, seller),
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
