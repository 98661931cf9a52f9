import { FakeMarketplaceError } from '../errors.js';
import { endpointOf } from '../http/all-endpoints.js';
import { redact, redactText } from './redact.js';

/** One exchange on a tape: a line of JSON. */
export interface TapeExchange {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The name of the endpoint; `null` if there is none. */
  readonly endpoint: string | null;
  /** Whose token the call had: `user 1`, `user 2` and so on, in the order of their first call; `null` without one. */
  readonly caller: string | null;
  /** The JSON of the request, or its text; `null` without one. */
  readonly request: unknown;
  readonly status: number;
  /** The JSON of the response, or its text; `null` without one. */
  readonly response: unknown;
}

/** Returns the name of the endpoint of a call. */
export function endpointNameOf(method: string, path: string): string | null {
  const [pathname = ''] = path.split('?');
  return endpointOf(method, pathname)?.name ?? null;
}

/** Redacts an exchange. */
export function redacted(exchange: TapeExchange): TapeExchange {
  const { path, request, response } = exchange;
  return { ...exchange, path: redactPath(path), request: redact(request), response: redact(response) };
}

function redactPath(path: string): string {
  const [segments = '', query] = path.split('?');
  const pathname = redactText(segments);
  if (query === undefined) return pathname;
  const kept = [...new URLSearchParams(query)].map(([name, value]) => [name, String(redact(value, name))]);
  return `${pathname}?${new URLSearchParams(kept).toString()}`;
}

/** Reads a tape. @throws {FakeMarketplaceError} that names a line that is no exchange */
export function parseTape(text: string): TapeExchange[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
}

function parseLine(line: string, number: number): TapeExchange {
  try {
    const value = JSON.parse(line) as Partial<TapeExchange> | null;
    if (typeof value?.method === 'string' && value.path?.startsWith('/') && Number.isInteger(value.status))
      return value as TapeExchange;
  } catch {
    // Named below.
  }
  throw new FakeMarketplaceError(`line ${number} of the tape is no exchange with \`method\`, \`path\` and \`status\``);
}

/** Reads a body: its JSON, its text, or `null`. */
export function bodyOfText(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
