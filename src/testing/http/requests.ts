import type { Accounts } from '../state/accounts.js';
import { recordedBody } from './recorded-body.js';
import { assertFilter, matchesFilter } from './request-filter.js';
import type { RequestFilter } from './request-filter.js';
import type { Interceptor } from './router.js';

/** A request that the marketplace received. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value of the body, or its text; `undefined` for none, and for a file upload. */
  readonly body: unknown;
  /** The name of the endpoint, e.g. `questions.answer`; `null` for none. */
  readonly endpoint: string | null;
  /** The user of the access token; `null` without a valid one. */
  readonly user_id: number | null;
  /** The response; `null` while there is none, and when the connection broke. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The JSON value; `undefined` for any other body. */
    readonly body: unknown;
  } | null;
}

const maxRequests = 1000;
const maxBodyLength = 1024 * 1024;

/** The newest 1,000 requests that the marketplace received, the oldest first. */
export class Requests implements Iterable<ReceivedRequest> {
  readonly #accounts: () => Accounts;
  #all: ReceivedRequest[] = [];

  constructor(accounts: () => Accounts) {
    this.#accounts = accounts;
  }

  /** All recorded requests. */
  get all(): readonly ReceivedRequest[] {
    return [...this.#all];
  }

  /** The newest request. */
  get last(): ReceivedRequest | undefined {
    return this.#all.at(-1);
  }

  /**
   * Returns the requests that match a filter.
   *
   * @throws {FakeMarketplaceError} when the filter has an unknown field or endpoint
   * @example
   * marketplace.requests.filter({ endpoint: 'questions.answer', body: { text: 'Yes.' } });
   */
  filter(filter: RequestFilter): ReceivedRequest[] {
    assertFilter(filter);
    return this.#all.filter((request) => matchesFilter(request, filter));
  }

  /** Removes all recorded requests. */
  clear(): void {
    this.#all = [];
  }

  [Symbol.iterator](): Iterator<ReceivedRequest> {
    return this.all[Symbol.iterator]();
  }

  /** @internal */
  readonly interceptor: Interceptor = async (request, endpoint, next) => {
    const { pathname, searchParams } = new URL(request.url);
    const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    let entry: ReceivedRequest = {
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(request.headers),
      body: await bodyOf(request),
      endpoint: endpoint?.name ?? null,
      user_id: this.#accounts().bearerOf(token)?.user_id ?? null,
      response: null,
    };
    this.#all.push(entry);
    if (this.#all.length > maxRequests) this.#all.shift();
    const response = await next();
    const { status, headers } = response;
    const index = this.#all.indexOf(entry);
    entry = { ...entry, response: { status, headers: Object.fromEntries(headers), body: recordedBody(response) } };
    if (index >= 0) this.#all[index] = entry;
    return response;
  };
}

/** Reads the body of a request as JSON or text, unless it is large or a file upload. */
export async function bodyOf(request: Request): Promise<unknown> {
  if (!request.body) return undefined;
  const isMultipart = (request.headers.get('content-type') ?? '').startsWith('multipart/');
  if (isMultipart || Number(request.headers.get('content-length') ?? 0) > maxBodyLength) return undefined;
  const text = await request
    .clone()
    .text()
    .catch(() => '');
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
