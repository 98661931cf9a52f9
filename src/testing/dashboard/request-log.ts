import type { Accounts } from '../state/accounts.js';
import { matchPath } from '../../core/serialization/path-template.js';
import { bearerToken } from '../http/authorization.js';
import { allEndpoints } from '../http/all-endpoints.js';

/** A request with its outcome. */
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
  readonly status: number | null;
  /** The duration in milliseconds. While the request is open, the time until the headers. */
  readonly ms: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The headers of the response; `null` while there is none. */
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The bodies, when they are text; cut after 4,000 characters. */
  readonly sent: string | null;
  readonly received: string | null;
}

const maxEntries = 200;
const maxBodyLength = 4000;
const maxReadBytes = 65_536;

/** Records the newest 200 requests. */
export class RequestLog {
  #entries = new Map<number, LoggedRequest>();
  readonly #listeners = new Set<(entry: LoggedRequest) => void>();
  #next = 1;

  /** The entries, the oldest first. */
  get all(): readonly LoggedRequest[] {
    return [...this.#entries.values()];
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Adds a listener for new and changed entries. @returns a function that removes it */
  on(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records a request while it is handled. */
  async watch(request: Request, accounts: Accounts, respond: () => Promise<Response>): Promise<Response> {
    const startedAt = performance.now();
    let entry = this.#save(toEntry(this.#next++, request, accounts));
    const change = (changes: Partial<LoggedRequest>): void => {
      entry = { ...entry, ...changes };
      if (this.#entries.has(entry.id)) this.#save(entry);
    };
    const elapsedMs = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
    void requestText(request).then((sent) => sent !== null && change({ sent }));
    try {
      const response = await respond();
      const { status } = response;
      const responseHeaders = Object.fromEntries(response.headers);
      if (!response.body) change({ state: 'done', status, responseHeaders, ms: elapsedMs() });
      else change({ status, responseHeaders, ms: elapsedMs() });
      return withBodyTap(response, (state, received) => change({ state, received, ms: elapsedMs() }));
    } catch (error) {
      change({ state: 'broken', ms: elapsedMs() });
      throw error;
    }
  }

  #save(entry: LoggedRequest): LoggedRequest {
    this.#entries.set(entry.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    for (const listener of [...this.#listeners]) listener(entry);
    return entry;
  }
}

function toEntry(id: number, { method, url, headers }: Request, accounts: Accounts): LoggedRequest {
  const { pathname, search } = new URL(url);
  const user_id = accounts.bearerOf(bearerToken(headers) ?? '')?.user_id ?? null;
  const endpoint = allEndpoints.find((each) => each.method === method && matchPath(each.path, pathname));
  return {
    id,
    at: Date.now(),
    method,
    path: pathname + search,
    endpoint: endpoint?.name ?? null,
    user_id,
    nickname: user_id === null ? null : (accounts.get(user_id)?.nickname ?? null),
    state: 'open',
    status: null,
    ms: 0,
    requestHeaders: Object.fromEntries(headers),
    responseHeaders: null,
    sent: null,
    received: null,
  };
}

/** Returns the body of a request if it is a text whose length is known and not too large; otherwise its media type. */
async function requestText(request: Request): Promise<string | null> {
  if (!request.body) return null;
  const type = request.headers.get('content-type') ?? 'without a type';
  const length = Number(request.headers.get('content-length') ?? Infinity);
  if (type.startsWith('multipart/') || length > maxReadBytes) return `(${type.split(';', 1)[0]}, not shown)`;
  try {
    return (await request.clone().text()).slice(0, maxBodyLength);
  } catch {
    return null;
  }
}

/** Returns the same response, with its body recorded while it is sent. */
function withBodyTap(response: Response, onEnd: (state: 'done' | 'broken', received: string | null) => void): Response {
  if (!response.body) return response;
  const isText = /json|text|javascript/.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  const received = (): string | null => (isText ? text : '(binary)');
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd('done', received());
          controller.close();
          return;
        }
        if (isText && text.length < maxBodyLength)
          text = (text + decoder.decode(value, { stream: true })).slice(0, maxBodyLength);
        controller.enqueue(value);
      } catch (error) {
        onEnd('broken', received());
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd('broken', received());
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
