import type { Accounts } from '../state/accounts.js';
import { matchPath } from '../../core/serialization/path-template.js';
import { allEndpoints } from '../seed/fault.js';

/** A request that came in, and what became of it. */
export interface LoggedRequest {
  readonly id: number;
  /** When, in milliseconds since 1970 of the machine's time. */
  readonly at: number;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The name of the endpoint, e.g. `questions.get`. */
  readonly endpoint: string | null;
  /** For whom the token speaks. */
  readonly user_id: number | null;
  readonly nickname: string | null;
  /** `broken`: the connection ended before the answer did. */
  readonly state: 'open' | 'done' | 'broken';
  readonly status: number | null;
  /** How long it took, or has taken until its headers were sent. */
  readonly ms: number;
  /** The bodies, as far as they are text; cut after 4,000 characters. */
  readonly sent: string | null;
  readonly received: string | null;
}

const mostEntries = 200;
const longestBody = 4000;
const largestRead = 65_536;

/** What comes in, the newest `200`. */
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

  /** Tells each entry as it begins and at every change; the function given back ends it. */
  on(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes down a request while it is answered. */
  async watch(request: Request, accounts: Accounts, answer: () => Promise<Response>): Promise<Response> {
    const began = performance.now();
    let entry = this.#keep(begun(this.#next++, request, accounts));
    const change = (changes: Partial<LoggedRequest>): void => {
      entry = { ...entry, ...changes };
      if (this.#entries.has(entry.id)) this.#keep(entry);
    };
    const took = (): number => Math.round((performance.now() - began) * 10) / 10;
    void bodyOf(request).then((sent) => sent !== null && change({ sent }));
    try {
      const response = await answer();
      const { status } = response;
      if (!response.body) change({ state: 'done', status, ms: took() });
      else change({ status, ms: took() });
      return tapped(response, (state, received) => change({ state, received, ms: took() }));
    } catch (error) {
      change({ state: 'broken', ms: took() });
      throw error;
    }
  }

  #keep(entry: LoggedRequest): LoggedRequest {
    this.#entries.set(entry.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > mostEntries && oldest !== undefined) this.#entries.delete(oldest);
    for (const listener of [...this.#listeners]) listener(entry);
    return entry;
  }
}

function begun(id: number, { method, url, headers }: Request, accounts: Accounts): LoggedRequest {
  const { pathname, search } = new URL(url);
  const user_id = accounts.bearerOf(headers.get('authorization')?.replace(/^Bearer /, '') ?? '')?.user_id ?? null;
  const endpoint = allEndpoints().find((each) => each.method === method && matchPath(each.path, pathname));
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
    sent: null,
    received: null,
  };
}

/** The body of a request, where it is a text of known and moderate length; what it is where it is something else. */
async function bodyOf(request: Request): Promise<string | null> {
  if (!request.body) return null;
  const type = request.headers.get('content-type') ?? 'without a type';
  const length = Number(request.headers.get('content-length') ?? Infinity);
  if (type.startsWith('multipart/') || length > largestRead) return `(${type.split(';', 1)[0]}, not shown)`;
  try {
    return (await request.clone().text()).slice(0, longestBody);
  } catch {
    return null;
  }
}

/** The same answer, whose body is looked at as it is sent. */
function tapped(response: Response, ended: (state: 'done' | 'broken', received: string | null) => void): Response {
  if (!response.body) return response;
  const isText = /json|text|javascript/.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  const received = (): string | null => (isText ? text : '(not a text)');
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          ended('done', received());
          controller.close();
          return;
        }
        if (isText && text.length < longestBody)
          text = (text + decoder.decode(value, { stream: true })).slice(0, longestBody);
        controller.enqueue(value);
      } catch (error) {
        ended('broken', received());
        controller.error(error);
      }
    },
    cancel(reason) {
      ended('broken', received());
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
