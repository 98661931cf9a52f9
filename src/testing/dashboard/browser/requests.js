import { byId, h } from './dom.js';
import { act, copy, showToast } from './server.js';
import { count } from './tabs.js';

/**
 * @typedef {import('../request-log.js').LoggedRequest} Entry
 * @typedef {import('../snapshot.js').Snapshot} Snapshot
 */

/** @type {Map<number, { entry: Entry, element: HTMLElement }>} */
const shown = new Map();
const list = byId('request-list');
const filter = /** @type {HTMLInputElement} */ (byId('filter'));
const most = 1000;
/** @type {Map<number, string | null>} */
const tokens = new Map();

export function startRequests() {
  filter.addEventListener('input', applyFilter);
  byId('clear-requests').addEventListener('click', () => void act('DELETE', 'requests', undefined, 'Cleared'));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest('input, select, textarea')) return;
    event.preventDefault();
    byId('tab-requests').click();
    filter.focus();
  });
}

/**
 * Opens a request and moves the focus to it.
 *
 * @param {number} id
 */
export function reveal(id) {
  const found = shown.get(id);
  if (!found) {
    showToast(`Request ${id} is no longer in the list.`, true);
    return;
  }
  byId('tab-requests').click();
  filter.value = '';
  applyFilter();
  /** @type {HTMLDetailsElement} */ (found.element.querySelector('details')).open = true;
  const summary = /** @type {HTMLElement} */ (found.element.querySelector('summary'));
  summary.scrollIntoView({ block: 'start' });
  summary.focus();
}

/** @param {Snapshot} state */
export function rememberTokens({ users }) {
  for (const { user_id, token } of users) tokens.set(user_id, token);
}

/**
 * Shows these requests instead of the current ones.
 *
 * @param {Entry[]} entries
 */
export function showRequests(entries) {
  shown.clear();
  list.replaceChildren();
  for (const entry of entries) showRequest(entry, false);
  updateList();
}

/**
 * Shows a new request, or updates one.
 *
 * @param {Entry} entry
 * @param {boolean} [isNew]
 */
export function showRequest(entry, isNew = true) {
  const before = shown.get(entry.id)?.element;
  const isOpen = before?.querySelector('details')?.open ?? false;
  const hasFocus = before?.contains(document.activeElement) ?? false;
  const element = draw(entry, isOpen);
  shown.set(entry.id, { entry, element });
  if (before) before.replaceWith(element);
  else list.prepend(element);
  if (hasFocus) element.querySelector('summary')?.focus();
  if (isNew && !before) element.classList.add('new');
  const [oldest] = shown.keys();
  if (shown.size > most && oldest !== undefined) forget(oldest);
  updateList();
}

/** @param {number} id */
function forget(id) {
  shown.get(id)?.element.remove();
  shown.delete(id);
}

function updateList() {
  byId('no-requests').hidden = shown.size > 0;
  count('requests', shown.size);
  applyFilter();
}

function applyFilter() {
  const terms = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...shown.values()];
  for (const { entry, element } of all) element.hidden = !terms.every((term) => matches(entry, term));
  byId('no-match').hidden = all.length === 0 || all.some(({ element }) => !element.hidden);
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function matches(entry, word) {
  const { method, path, endpoint, nickname, status, state, brokenAt, fault, rule } = entry;
  if (/^[2-5]xx$/.test(word)) return String(status ?? '').startsWith(word.charAt(0));
  const texts = [method, path, endpoint, nickname, status, state, brokenAt, fault, rule];
  // Parsed, a body has no escapes: some languages escape every letter outside of ASCII.
  const bodies = [entry.requestBody, entry.responseBody].map((body) => body && pretty(body));
  return [...texts, ...bodies].some((text) => text !== null && String(text).toLowerCase().includes(word));
}

/**
 * @param {Entry} entry
 * @param {boolean} isOpen
 */
function draw(entry, isOpen) {
  const { method, path, endpoint, nickname, at, requestHeaders, responseHeaders, requestBody, responseBody } = entry;
  return h(
    'li',
    {},
    h(
      'details',
      { open: isOpen },
      h(
        'summary',
        {},
        h('time', { datetime: new Date(at).toISOString() }, new Date(at).toTimeString().slice(0, 8)),
        h('span', { class: `method ${method.toLowerCase()}` }, method),
        h('span', { class: 'path mono' }, path),
        outcome(entry),
        ...note(entry),
      ),
      h(
        'dl',
        {},
        ...pair('User', nickname ?? 'unknown (no valid token)'),
        ...pair('Endpoint', endpoint ?? 'unknown'),
        ...pair('Request headers', headerList(requestHeaders)),
        ...pair('Request body', requestBody === null ? null : h('pre', { tabindex: 0 }, pretty(requestBody))),
        ...pair('Files', entry.files && h('pre', { tabindex: 0 }, entry.files.map(describeFile).join('\n'))),
        ...pair('Response headers', responseHeaders && headerList(responseHeaders)),
        ...pair(
          'Response body',
          responseBody === null ? null : h('pre', { tabindex: 0 }, pretty(responseBody) || '(empty)'),
        ),
      ),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', click: () => void copy(curl(entry), 'the curl line') }, 'Copy as curl'),
        entry.files === null && h('button', { type: 'button', click: () => void resend(entry) }, 'Send again'),
      ),
    ),
  );
}

/**
 * The second line of a row: what hit the request, or the rule of its 4xx.
 *
 * @param {Entry} entry
 */
function note({ fault, brokenAt, rule }) {
  const parts = [
    fault !== null && h('strong', {}, `Fault: ${fault}`),
    brokenAt !== null && `Connection ended ${brokenAt}`,
    rule,
  ];
  const shownParts = parts.filter((part) => part !== false && part !== null);
  return shownParts.length === 0 ? [] : [h('span', { class: 'note' }, ...joined(shownParts))];
}

/** @param {(string | HTMLElement)[]} parts */
function joined(parts) {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
}

/** @param {Entry} entry */
function outcome({ state, status, ms }) {
  const label = state === 'broken' ? 'broken' : (status ?? 'waiting');
  const kind =
    state === 'broken' ? 'bad' : status === null ? 'open' : status >= 500 ? 'bad' : status >= 400 ? 'warning' : 'good';
  return h(
    'span',
    { class: 'outcome' },
    h('span', { class: `chip ${kind}` }, state === 'open' && status !== null ? `${label} …` : label),
    h('span', { class: 'ms' }, state === 'open' ? '' : `${ms < 10 ? ms : Math.round(ms)} ms`),
  );
}

/**
 * @param {string} name
 * @param {string | Node | null} value
 */
function pair(name, value) {
  return value === null ? [] : [h('dt', {}, name), h('dd', {}, value)];
}

/** @param {Readonly<Record<string, string>>} headers */
function headerList(headers) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return h('pre', { class: 'headers', tabindex: 0 }, lines.join('\n'));
}

/** @param {NonNullable<Entry['files']>[number]} file */
function describeFile({ filename, type, size, sha256 }) {
  return `${filename}, ${type || 'no type'}, ${size} bytes, SHA-256 ${sha256}`;
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Sends a request again, with its token.
 *
 * @param {Entry} entry
 */
async function resend({ method, path, requestHeaders, requestBody }) {
  const names = ['authorization', 'content-type', 'x-client-id'];
  const kept = Object.entries(requestHeaders).filter(([name]) => names.includes(name));
  try {
    const init = { method, headers: Object.fromEntries(kept), body: requestBody };
    const { status } = await fetch(path, init);
    showToast(`Sent again: ${status}`);
  } catch {
    showToast('Sent again: the connection broke', true);
  }
}

/** @param {Entry} entry */
function curl({ method, path, user_id, requestBody }) {
  const token = user_id === null ? null : tokens.get(user_id);
  const parts = [
    'curl',
    method === 'GET' ? '' : `-X ${method}`,
    token ? `-H ${quoted(`Authorization: Bearer ${token}`)}` : '',
    requestBody === null ? '' : `-H 'Content-Type: application/json' -d ${quoted(requestBody)}`,
    quoted(location.origin + path),
  ];
  return parts.filter(Boolean).join(' ');
}

/** @param {string} text */
export function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
