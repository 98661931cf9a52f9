import type { Snapshot } from '../snapshot.js';
import { html, useEffect, useState, type VNode } from './preact.js';

/** The lists that the server searches. */
export type SearchedList = 'users' | 'items' | 'questions' | 'conversations' | 'requests';

/** What a search has found: the number of all entries, and the newest of them. */
export interface Found<List extends SearchedList> {
  readonly count: number;
  readonly entries: Snapshot[List];
}

/** The `x-fake-token` of control calls. */
const token: string = document.querySelector('meta[name=fake-token]')?.getAttribute('content') ?? '';

/**
 * Calls a control endpoint and shows the result.
 *
 * @param path below `/__fake/`
 * @param done the message after success
 * @returns whether the call succeeded
 */
export async function act(method: string, path: string, body: object | undefined, done: string): Promise<boolean> {
  const result = await read(path, { method, ...(body && { body: JSON.stringify(body) }) });
  if (result !== undefined) showToast(done);
  return result !== undefined;
}

/** Calls a control endpoint with `POST`, as `act` does. */
export function post(path: string, body: object, done: string): Promise<boolean> {
  return act('POST', path, body, done);
}

/** Calls a control endpoint. Returns its response, or `undefined` after it has shown why that fails. */
export async function read(path: string, init?: RequestInit): Promise<unknown> {
  const headers = { 'x-fake-token': token, 'content-type': 'application/json' };
  try {
    const response = await fetch(`/__fake/${path}`, { ...init, headers });
    const body = (await response.json()) as { message: string };
    if (response.ok) return body;
    showToast(body.message, true);
  } catch {
    showToast('The server does not respond.', true);
  }
  return undefined;
}

/** Searches a list of the marketplace. */
export async function search<List extends SearchedList>(
  list: List,
  text: string,
  limit: number,
): Promise<Found<List> | undefined> {
  const query = new URLSearchParams({ list, text, limit: String(limit) });
  return (await read(`search?${query.toString()}`)) as Found<List> | undefined;
}

/** Copies a text to the clipboard. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`Copied ${what}`);
  } catch {
    showToast(`Could not copy: ${text}`, true);
  }
}

type Parts = Readonly<Record<string, unknown>>;

/** Listens to the server's events. */
export function listen(show: (state: Snapshot) => void, link: (isUp: boolean) => void): void {
  const events = new EventSource(`/__fake/events?token=${token}`);
  events.addEventListener('open', () => link(true));
  events.addEventListener('error', () => {
    link(false);
    // A restarted server has another token, which only a reloaded page contains.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(() => void reloadWhenUp(), 1500);
  });
  let current: Parts = {};
  const take = (next: Parts): void => {
    current = next;
    show(next as unknown as Snapshot);
  };
  events.addEventListener('state', (event) => take(dataOf(event)));
  events.addEventListener('change', (event) => take({ ...current, ...applied(current, dataOf(event)) }));
}

/** Returns what a change makes of the fields that it names. In a list, `[from, count]` are entries that stay. */
function applied(before: Parts, change: Parts): Parts {
  const merged = (name: string, edits: readonly unknown[]): unknown[] =>
    edits.flatMap((edit) => (isKept(edit) ? (before[name] as unknown[]).slice(edit[0], edit[0] + edit[1]) : [edit]));
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, Array.isArray(value) ? merged(name, value) : value]),
  );
}

function isKept(edit: unknown): edit is readonly [from: number, count: number] {
  return Array.isArray(edit);
}

/** The data of an event, as `EventStream` sends it. */
function dataOf(event: MessageEvent): Parts {
  return JSON.parse(String(event.data)) as Parts;
}

/** Reloads the page as soon as the server responds again. */
async function reloadWhenUp(): Promise<void> {
  try {
    await fetch('/__fake/style.css');
    location.reload();
  } catch {
    window.setTimeout(() => void reloadWhenUp(), 1500);
  }
}

interface Message {
  readonly text: string;
  readonly isBad: boolean;
}

let show: ((message: Message) => void) | undefined;

/** Shows a message; screen readers announce it. */
export function showToast(text: string, isBad = false): void {
  show?.({ text, isBad });
}

/** The place where messages are shown, one at a time. */
export function Toast(): VNode {
  const [{ text, isBad }, setMessage] = useState<Message>({ text: '', isBad: false });
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let fading: number | undefined;
    show = (message) => {
      setMessage(message);
      setShown(message.text !== '');
      window.clearTimeout(fading);
      fading = window.setTimeout(() => setShown(false), message.isBad ? 9000 : 3500);
    };
  }, []);
  const look = `toast${isBad ? ' bad' : ''}${isShown ? ' shown' : ''}`;
  return html`<p id="toast" class=${look} role="status" aria-live="polite">${text}</p>`;
}
