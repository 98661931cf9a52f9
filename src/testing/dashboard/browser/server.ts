import type { Snapshot } from '../snapshot.js';
import { showToast } from './toast.js';

/** The lists that the server searches. */
export type SearchedList = 'users' | 'items' | 'questions' | 'conversations' | 'requests';

/** What a search has found: the number of all entries, and the newest of them. */
export interface Found<List extends SearchedList> {
  readonly count: number;
  readonly entries: Snapshot[List];
}

/** The `x-fake-token` of control calls. */
export const token: string = document.querySelector('meta[name=fake-token]')?.getAttribute('content') ?? '';

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
