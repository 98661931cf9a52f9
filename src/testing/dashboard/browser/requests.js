import { byId, h, showList } from './dom.js';
import { startFinder } from './finder.js';
import { act, copy, read, showToast } from './server.js';

/**
 * @typedef {import('../request-log.js').LoggedRequest} Entry
 * @typedef {import('../snapshot.js').Snapshot} Snapshot
 * @typedef {Snapshot['requests'][number]} Row
 */

const list = byId('request-list');
const filter = /** @type {HTMLInputElement} */ (byId('find-requests'));
/** The newest request that was shown; 0 until the first state has come. */
let newest = 0;
const finder = startFinder('requests', (rows) => showList(list, rows, ({ id }) => id, draw));

export function startRequests() {
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
export async function reveal(id) {
  await finder.find(`#${id}`);
  const [row] = list.children;
  if (!row) {
    await finder.find('');
    showToast(`Request ${id} is no longer in the list.`, true);
    return;
  }
  byId('tab-requests').click();
  /** @type {HTMLDetailsElement} */ (row.querySelector('details')).open = true;
  const summary = /** @type {HTMLElement} */ (row.querySelector('summary'));
  summary.scrollIntoView({ block: 'start' });
  summary.focus();
}

/** @param {Snapshot} state */
export async function showRequests(state) {
  byId('no-requests').hidden = state.counts.requests > 0;
  await finder.update(state);
  newest = Math.max(newest, 1, state.requests[0]?.id ?? 0);
}

/**
 * Draws a row. What a person has opened stays open.
 *
 * @param {Row} row
 * @param {HTMLElement | undefined} before
 */
function draw(row, before) {
  const element = before ?? empty(row.id);
  const { at, method, path } = row;
  /** @type {HTMLElement} */ (element.querySelector('summary')).replaceChildren(
    h('time', { datetime: new Date(at).toISOString() }, new Date(at).toTimeString().slice(0, 8)),
    h('span', { class: `method ${method.toLowerCase()}` }, method),
    h('span', { class: 'path mono' }, path),
    outcome(row),
    ...note(row),
  );
  if (element.querySelector('details')?.open) void load(row.id, element);
  return element;
}

/** @param {number} id */
function empty(id) {
  const details = h('details', {}, h('summary'), h('div', { 'data-part': 'exchange' }));
  const row = h('li', { class: newest > 0 && id > newest ? 'new' : '' }, details);
  details.addEventListener('toggle', () => details.open && void load(id, row));
  return row;
}

/**
 * Loads headers and bodies, which the list does not have.
 *
 * @param {number} id
 * @param {HTMLElement} row
 */
async function load(id, row) {
  /** @type {{ requests: Entry[] } | undefined} */
  const found = await read(`requests?id=${id}`);
  const [entry] = found?.requests ?? [];
  if (entry) row.querySelector('[data-part=exchange]')?.replaceChildren(...exchange(entry));
}

/** @param {Entry} entry */
function exchange(entry) {
  const { endpoint, nickname, requestHeaders, responseHeaders, requestBody, responseBody } = entry;
  return [
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
  ];
}

/**
 * The second line of a row: what hit the request, or the rule of its 4xx.
 *
 * @param {Row} row
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

/** @param {Row} row */
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
function curl({ method, path, requestHeaders, requestBody }) {
  const { authorization } = requestHeaders;
  const parts = [
    'curl',
    method === 'GET' ? '' : `-X ${method}`,
    authorization === undefined ? '' : `-H ${quoted(`Authorization: ${authorization}`)}`,
    requestBody === null ? '' : `-H 'Content-Type: application/json' -d ${quoted(requestBody)}`,
    quoted(location.origin + path),
  ];
  return parts.filter(Boolean).join(' ');
}

/** @param {string} text */
export function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
