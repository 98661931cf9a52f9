import { byId } from './dom.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const token = document.querySelector('meta[name=fake-token]')?.getAttribute('content') ?? '';

/**
 * Calls a control endpoint and shows the result.
 *
 * @param {string} method
 * @param {string} path below `/__fake/`
 * @param {object} [body]
 * @param {string} [done] the message after success
 * @returns {Promise<boolean>} whether the call succeeded
 */
export async function act(method, path, body, done = '') {
  const result = await read(path, { method, ...(body && { body: JSON.stringify(body) }) });
  if (result !== undefined) showToast(done);
  return result !== undefined;
}

/**
 * Calls a control endpoint. Returns its response, or `undefined` after it has shown why that fails.
 *
 * @param {string} path below `/__fake/`
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
export async function read(path, init) {
  const headers = { 'x-fake-token': token, 'content-type': 'application/json' };
  try {
    const response = await fetch(`/__fake/${path}`, { ...init, headers });
    /** @type {{ message: string }} */
    const body = await response.json();
    if (response.ok) return body;
    showToast(body.message, true);
  } catch {
    showToast('The server does not respond.', true);
  }
  return undefined;
}

/**
 * Searches a list of the marketplace.
 *
 * @param {string} list
 * @param {string} text
 * @param {number} limit
 * @returns {Promise<{ count: number, entries: any[] } | undefined>}
 */
export function search(list, text, limit) {
  return read(`search?${new URLSearchParams({ list, text, limit: String(limit) })}`);
}

/** @type {number | undefined} */
let fading;

/**
 * Shows a message; screen readers announce it.
 *
 * @param {string} text
 * @param {boolean} [isBad]
 */
export function showToast(text, isBad = false) {
  const toast = byId('toast');
  toast.textContent = text;
  toast.classList.toggle('bad', isBad);
  toast.classList.toggle('shown', text !== '');
  window.clearTimeout(fading);
  fading = window.setTimeout(() => toast.classList.remove('shown'), isBad ? 9000 : 3500);
}

/**
 * Copies a text to the clipboard.
 *
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`Copied ${what}`);
  } catch {
    showToast(`Could not copy: ${text}`, true);
  }
}

/**
 * Listens to the server's events.
 *
 * @param {{
 *   state: (state: Snapshot) => void,
 *   link: (isUp: boolean) => void,
 * }} listener
 */
export function listen({ state, link }) {
  const events = new EventSource(`/__fake/events?token=${token}`);
  events.addEventListener('open', () => link(true));
  events.addEventListener('error', () => {
    link(false);
    // A restarted server has another token, which only a reloaded page contains.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(() => void reloadWhenUp(), 1500);
  });
  /** @type {any} */
  let current;
  const show = (/** @type {any} */ next) => state((current = next));
  events.addEventListener('state', (event) => show(dataOf(event)));
  events.addEventListener('change', (event) => show({ ...current, ...applied(current, dataOf(event)) }));
}

/**
 * Returns what a change makes of the fields that it names. In a list, `[from, count]` are entries that stay.
 *
 * @param {Readonly<Record<string, unknown[]>>} before
 * @param {Record<string, unknown>} change
 */
function applied(before, change) {
  const merged = (/** @type {string} */ name, /** @type {(object | [number, number])[]} */ edits) =>
    edits.flatMap((edit) => (isKept(edit) ? (before[name] ?? []).slice(edit[0], edit[0] + edit[1]) : [edit]));
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, Array.isArray(value) ? merged(name, value) : value]),
  );
}

/**
 * @param {object} edit
 * @returns {edit is [number, number]}
 */
function isKept(edit) {
  return Array.isArray(edit);
}

/**
 * @param {MessageEvent} event
 * @returns {any} the data of the event, as `EventStream` sends it
 */
function dataOf(event) {
  return JSON.parse(String(event.data));
}

/** Reloads the page as soon as the server responds again. */
async function reloadWhenUp() {
  try {
    await fetch('/__fake/style.css');
    location.reload();
  } catch {
    window.setTimeout(() => void reloadWhenUp(), 1500);
  }
}
