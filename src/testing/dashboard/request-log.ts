import type { Accounts } from '../state/accounts.js';
import { bearerToken } from '../http/call.js';
import { refusals } from '../http/handler.js';
import { RecentEntries } from '../http/recent-entries.js';
import { copyRequest, maxBodyLength } from './copy-request.js';
import type { UploadedPart } from './copy-request.js';
import { describeFault } from './describe-fault.js';
import type { Operations } from '../operations/operations.js';
import type { ServedMarketplace } from './served-marketplace.js';
import { tapBody } from './tap-body.js';

/** A request with its outcome. The names of the fields are those of HTTP: request and response. */
export interface LoggedRequest {
  readonly id: number;
  /** Time of arrival on the machine's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The name of the endpoint, e.g. `questions.get`. */
  readonly endpoint: string | null;
  /** The user of the token. */
  readonly user_id: number | null;
  readonly nickname: string | null;
  /** `broken`: the connection ended before the response did. */
  readonly state: 'open' | 'done' | 'broken';
  /** Where the connection ended before the response did; `null` if it did not. */
  readonly brokenAt: 'before the response' | 'in the body' | null;
  readonly status: number | null;
  /** The duration in milliseconds. While the request is open, the time until the headers. */
  readonly ms: number;
  /** The injected fault that applied to the request, in words; `null` without one. */
  readonly fault: string | null;
  /** The documented error by which the handler rejected the request, and where the documentation has it; `null` if it named none. */
  readonly rule: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The text of the body, its first 1,048,576 characters; `null` without one, and for a form with files. */
  readonly requestBody: string | null;
  /** The files of a multipart form; `null` for any other request. */
  readonly files: readonly UploadedPart[] | null;
  /** The headers of the response; `null` while there is none. */
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The text of the response, its first 1,048,576 characters; `(binary)` for a file. */
  readonly responseBody: string | null;
}

/** The parts of a marketplace that a record names. */
type LoggedMarketplace = Pick<ServedMarketplace, 'accounts' | 'faults' | 'operations'>;

/** Records the newest 20,000 requests; fewer if their bodies have over 32 MB. */
export class RequestLog {
  readonly #recent = new RecentEntries<LoggedRequest>(20_000);
  readonly #listeners = new Set<(entry: LoggedRequest) => void>();
  #next = 1;

  /** The entries, the oldest first. */
  get all(): readonly LoggedRequest[] {
    return this.#recent.all;
  }

  clear(): void {
    this.#recent.clear();
  }

  /** Adds a listener for new and changed entries. @returns a function that removes it */
  on(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records a request while it is handled. */
  async watch(
    request: Request,
    { accounts, faults, operations }: LoggedMarketplace,
    respond: (id: number) => Promise<Response>,
  ): Promise<Response> {
    const startedAt = performance.now();
    let entry = this.#save(toEntry(this.#next++, request, accounts, operations));
    const change = (changes: Partial<LoggedRequest>): void => {
      entry = { ...entry, ...changes };
      if (this.#recent.has(entry.id)) this.#save(entry);
    };
    const elapsedMs = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
    const stop = faults.onApplied((affected, fault) => {
      if (affected === request) change({ fault: describeFault(fault) });
    });
    const copied = copyRequest(request).then(change);
    try {
      const response = await respond(entry.id);
      // What the marketplace has read is here as well, and is recorded before the response is sent.
      if (request.bodyUsed) await copied;
      const { status } = response;
      const responseHeaders = Object.fromEntries(response.headers);
      if (!response.body) change({ state: 'done', status, responseHeaders, ms: elapsedMs() });
      else change({ status, responseHeaders, ms: elapsedMs() });
      return tapBody(response, maxBodyLength, (state, responseBody) => {
        const rule = entry.fault === null ? (refusals.get(request) ?? null) : null;
        const brokenAt = state === 'broken' ? 'in the body' : null;
        change({ state, brokenAt, rule, responseBody, ms: elapsedMs() });
      });
    } catch (error) {
      change({ state: 'broken', brokenAt: 'before the response', ms: elapsedMs() });
      throw error;
    } finally {
      stop();
    }
  }

  #save(entry: LoggedRequest): LoggedRequest {
    this.#recent.save(entry.id, entry, (entry.requestBody?.length ?? 0) + (entry.responseBody?.length ?? 0));
    for (const listener of [...this.#listeners]) listener(entry);
    return entry;
  }
}

function toEntry(
  id: number,
  { method, url, headers }: Request,
  accounts: Accounts,
  { routes }: Operations,
): LoggedRequest {
  const { pathname, search } = new URL(url);
  const user_id = accounts.bearerOf(bearerToken(headers) ?? '')?.user_id ?? null;
  return {
    id,
    at: Date.now(),
    method,
    path: pathname + search,
    endpoint: routes.of(method, pathname)?.name ?? null,
    user_id,
    nickname: user_id === null ? null : (accounts.get(user_id)?.nickname ?? null),
    state: 'open',
    brokenAt: null,
    status: null,
    ms: 0,
    fault: null,
    rule: null,
    requestHeaders: Object.fromEntries(headers),
    requestBody: null,
    files: null,
    responseHeaders: null,
    responseBody: null,
  };
}
