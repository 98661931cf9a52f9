import type { Snapshot } from '../snapshot.js';
import {
  ago,
  button,
  buyerIn,
  card,
  chip,
  fold,
  form,
  heading,
  idIn,
  joined,
  list,
  noteOf,
  Picker,
  submit,
  useFinder,
  userField,
} from './parts.js';
import type { Fields, PanelProps } from './parts.js';
import { html, type VNode } from './preact.js';
import { post } from './server.js';

type Question = Snapshot['questions'][number];

/** The questions of buyers, and who may not ask. */
export function Questions({ state }: PanelProps): VNode {
  const { entries, note, field } = useFinder('questions', state);
  const active = state.items.findLast(({ status }) => status === 'active');
  const attributes = { name: 'text', rows: 2, maxlength: 2000, required: true, placeholder: 'Is there stock?' };
  const drawn = entries.map((each) => draw(each, Date.parse(state.now)));
  const fields = html`
    <div class="row">
      ${userField('Buyer', 'from', buyerIn(state))}
      <${Picker} label="Item" name="item_id" list="items" initial=${active} />
    </div>
    <label>${'Question '}<textarea ...${attributes} /></label>
  `;
  return html`
    <h2>Questions</h2>
    <div id="ask" class="card">
      <h3>Ask as a buyer</h3>
      ${form('form', ask, fields, submit('Ask'))}
    </div>
    ${heading(html`<h3>All questions</h3>`, field)}
    ${list('question', note, state.counts.questions === 0 && 'No questions yet.', drawn)} ${blacklist(state)}
  `;
}

async function ask({ from, item_id, text }: Fields): Promise<void> {
  if (!(await post('questions', { from: Number(idIn(from)), item_id: idIn(item_id), text }, 'Asked'))) return;
  const field = questionField();
  if (field) field.value = '';
  field?.focus();
}

function questionField(): HTMLTextAreaElement | null {
  return document.querySelector('#ask textarea');
}

function draw(question: Question, now: number): VNode {
  const { id, from, title, item_id, text, askedAt, answer, status, hidden, hold, deleted_from_listing } = question;
  const isOver = status === 'BANNED' || status === 'DELETED';
  const marks = [hidden && 'hidden', hold && 'held back', deleted_from_listing && 'not in the listing'];
  const kind = status === 'ANSWERED' ? 'good' : status === 'UNANSWERED' ? 'open' : 'warning';
  const moderate = (label: string, path: string, done: string): VNode =>
    button(label, () => post(path, { question_id: id }, done), { class: 'quiet' });
  return card(
    { key: id, 'aria-label': `Question ${id}` },
    html`<strong>${from}</strong> about ${title}`,
    chip(status.toLowerCase().replace('_', ' '), kind),
    html`
      <p class="bubble buyer">${text}</p>
      ${answer && html`<p class="bubble seller">${answer.text}${answer.status === 'DISABLED' && ' (disabled)'}</p>`}
      <p class="small">
        <span class="mono">${id} · ${item_id}</span> · ${joined([ago(now - askedAt), ...marks], ' · ')}
      </p>
      ${status === 'UNANSWERED' && !hold && !deleted_from_listing && answerForm(question)}
      <div class="actions" hidden=${isOver}>
        ${moderate('Ban the question', 'bans', 'Banned')}
        ${answer?.status === 'ACTIVE' && moderate('Disable the answer', 'disabled-answers', 'Disabled')}
      </div>
    `,
  );
}

function answerForm({ id: question_id, seller }: Question): VNode {
  const label = `Answer question ${question_id} as ${seller}`;
  const answer = async ({ text }: Fields): Promise<void> => {
    if (await post('answers', { question_id, text }, 'Answered')) questionField()?.focus({ preventScroll: true });
  };
  const input = html`<input
    name="text"
    required
    maxlength="2000"
    aria-label=${label}
    placeholder="Answer as ${seller}"
  />`;
  return form('line', answer, input, submit('Answer', ''));
}

/** The users who may not ask a seller. */
function blacklist(state: Snapshot): VNode {
  const add = ({ seller_id, user_id }: Fields): Promise<boolean> =>
    block(Number(idIn(seller_id)), Number(idIn(user_id)), true);
  const seller = userField('Seller', 'seller_id', state.users[0]);
  const user = userField('Blocked user', 'user_id', buyerIn(state));
  const drawn = state.blacklist.map((blocked) => drawBlocked(blocked, state));
  const content = html`
    ${form('line', add, seller, user, submit('Block', ''))}
    ${drawn.length === 0 && html`<p class="small">No user is blocked.</p>`}
    ${list('blocked', noteOf('blacklist', state), false, drawn, 'ul', 'rows')}
  `;
  return fold('Blacklist', content, { id: 'blacklist' });
}

function drawBlocked(blocked: Snapshot['blacklist'][number], { now }: Snapshot): VNode {
  const { seller_id, user_id, seller, nickname, since } = blocked;
  return html`
    <li key="${seller_id} ${user_id}">
      <span class="about"><strong>${nickname}</strong> may not ask ${seller}</span>
      <span class="small">${ago(Date.parse(now) - since)}</span>
      ${button('Unblock', () => block(seller_id, user_id, false))}
    </li>
  `;
}

function block(seller_id: number, user_id: number, blocked: boolean): Promise<boolean> {
  return post('blacklist', { seller_id, user_id, blocked }, blocked ? 'Blocked' : 'Unblocked');
}
