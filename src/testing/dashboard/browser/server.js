import { byId } from './dom.js';

/**
 * @typedef {import('../../dashboard/snapshot.js').Snapshot} Snapshot
 * @typedef {import('../../dashboard/request-log.js').LoggedRequest} Entry
 */

const token = document.querySelector('meta[name=fake-token]')?.getAttribute('content') ?? '';

/**
 * Does something to the marketplace, and says how it went.
 *
 * @param {string} method
 * @param {string} path below `/__fake/`
 * @param {object} [body]
 * @param {string} [done] what to say when it is done
 * @returns {Promise<boolean>} whether it was
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
      const refusal = await response.json();
      say(refusal.message, true);
      return false;
    }
    say(done);
    return true;
  } catch {
    say('The server is not there any more.', true);
    return false;
  }
}

/** @type {number | undefined} */
let fading;

/**
 * Says something to the person, aloud too.
 *
 * @param {string} text
 * @param {boolean} [isBad]
 */
export function say(text, isBad = false) {
  const said = byId('said');
  said.textContent = text;
  said.classList.toggle('bad', isBad);
  said.classList.toggle('shown', text !== '');
  window.clearTimeout(fading);
  fading = window.setTimeout(() => said.classList.remove('shown'), isBad ? 9000 : 3500);
}

/**
 * Copies a text and says so.
 *
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}`);
  } catch {
    say(`Could not copy; here it is: ${text}`, true);
  }
}

/**
 * Listens to what happens.
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
    // A server that was started again has another token, which only a new page knows.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(() => void comeBack(), 1500);
  });
  events.addEventListener('requests', (event) => requests(dataOf(event)));
  events.addEventListener('request', (event) => request(dataOf(event)));
  events.addEventListener('state', (event) => state(dataOf(event)));
}

/**
 * @param {MessageEvent} event
 * @returns {any} what the server's `Telling` said
 */
function dataOf(event) {
  return JSON.parse(String(event.data));
}

/** Loads the page again as soon as there is a server to load it from. */
async function comeBack() {
  try {
    await fetch('/__fake/style.css');
    location.reload();
  } catch {
    window.setTimeout(() => void comeBack(), 1500);
  }
}
