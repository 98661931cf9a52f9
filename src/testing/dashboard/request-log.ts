import type { Bytes } from '../../core/files/file-source.js';
import { bearerToken, refusals, formOf, readUpTo } from '../http/handler.js';
import { RecentEntries } from '../http/requests.js';
import type { Operations } from '../operations/operations.js';
import type { Accounts } from '../state/accounts.js';
import type { ServedMarketplace } from './control.js';
import { describeFault } from './describe-fault.js';

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

/** A file of a multipart form. */
interface UploadedPart {
  /** The name of the part, e.g. `file`. */
  readonly part: string;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** The SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
}

/** What a request contains. */
interface CopiedRequest {
  readonly requestBody: string | null;
  readonly files: readonly UploadedPart[] | null;
}

/** The longest body that is recorded, in characters. */
const maxBodyLength = 1024 * 1024;
/** Larger than the maximum upload of 25 MB. */
const maxFormBytes = 32 * 1024 * 1024;

/** Reads a copy of a request: its text, or the files of its form. The request stays unread. */
async function copyRequest(request: Request): Promise<CopiedRequest> {
  if (!request.body) return { requestBody: null, files: null };
  const isForm = (request.headers.get('content-type') ?? '').startsWith('multipart/');
  const limit = isForm ? maxFormBytes : 4 * maxBodyLength;
  const bytes = await readUpTo(request.clone(), limit).catch(() => undefined);
  if (!bytes) return { requestBody: null, files: null };
  if (isForm) return { requestBody: null, files: await filesOf(bytes, request.headers) };
  return { requestBody: new TextDecoder().decode(bytes).slice(0, maxBodyLength), files: null };
}

async function filesOf(bytes: Bytes, headers: Headers): Promise<UploadedPart[]> {
  const files = [...(await formOf(bytes, headers))].flatMap(([part, value]) =>
    value instanceof File ? [{ part, file: value }] : [],
  );
  return Promise.all(files.map(({ part, file }) => describeFile(part, file)));
}

async function describeFile(part: string, file: File): Promise<UploadedPart> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { part, filename: file.name, type: file.type, size: file.size, sha256 };
}

/** Returns the same response, with its body recorded while it is sent. */
function tapBody(
  response: Response,
  maxLength: number,
  onEnd: (state: 'done' | 'broken', text: string | null) => void,
): Response {
  if (!response.body) return response;
  const isText = /json|text|javascript/.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  const recorded = (): string | null => (isText ? text : '(binary)');
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd('done', recorded());
          controller.close();
          return;
        }
        if (isText && text.length < maxLength)
          text = (text + decoder.decode(value, { stream: true })).slice(0, maxLength);
        controller.enqueue(value);
      } catch (error) {
        onEnd('broken', recorded());
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd('broken', recorded());
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
