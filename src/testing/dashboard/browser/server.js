import { byId } from './dom.js';

/**
 * @typedef {import('../snapshot.js').Snapshot} Snapshot
 * @typedef {import('../request-log.js').LoggedRequest} Entry
 */

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
  try {
    const response = await fetch(`/__fake/${path}`, {
      method,
      headers: { 'x-fake-token': token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) {
      /** @type {{ message: string }} */
      const error = await response.json();
      showToast(error.message, true);
      return false;
    }
    showToast(done);
    return true;
  } catch {
    showToast('The server does not respond.', true);
    return false;
  }
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
 *   requests: (entries: Entry[]) => void,
 *   request: (entry: Entry) => void,
 *   state: (state: Snapshot) => void,
 *   link: (isUp: boolean) => void,
 * }} listener
 */
export function listen({ requests, request, state, link }) {
  const events = new EventSource(`/__fake/events?token=${token}`);
  events.addEventListener('open', () => link(true));
  events.addEventListener('error', () => {
    link(false);
    // A restarted server has another token, which only a reloaded page contains.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(() => void reloadWhenUp(), 1500);
  });
  events.addEventListener('requests', (event) => requests(dataOf(event)));
  events.addEventListener('request', (event) => request(dataOf(event)));
  events.addEventListener('state', (event) => state(dataOf(event)));
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
