/** One delivery as an adapter sees it: what arrived over HTTP, before anything of it is believed. */
export interface IncomingRequest {
  readonly method: string;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | null | undefined;
  /**
   * The body: its text, its bytes, or the object a framework has made of it.
   *
   * @throws {BodyRejected} when it is too long, too slow, or gone.
   */
  body(bounds: BodyLimits): Promise<unknown>;
}

/** What a body may cost. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** What the service is told. It never repeats anything of what was delivered. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply in plain text. */
export function respond(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): OutgoingResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** A body that is not read, and the reply that says why. */
export class BodyRejected extends Error {
  readonly reply: OutgoingResponse;

  constructor(refusal: OutgoingResponse) {
    super(refusal.body);
    this.reply = refusal;
  }
}

const tooLong = respond(413, 'The body is too long', { connection: 'close' });
const tooSlow = respond(408, 'The body took too long', { connection: 'close' });
const gone = respond(
  500,
  'Something before the receiver has read the body and kept nothing of it. Mount the receiver before it, or keep what it parsed as `body`.',
);

/** A body that something before the receiver has used up. */
export const bodyIsGone = new BodyRejected(gone);

/** Judges what stands before the body; `undefined` where it may be read. */
export function checkHeaders(
  { method, header }: IncomingRequest,
  { maxBodyBytes }: BodyLimits,
): OutgoingResponse | undefined {
  if (method !== 'POST') return respond(405, 'Notifications are delivered by POST', { allow: 'POST' });
  const type = header('content-type');
  if (type && !isJson(type)) return respond(415, 'Notifications are JSON');
  const encoding = header('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') return respond(415, 'Notifications are not compressed');
  return Number(header('content-length') ?? 0) > maxBodyBytes ? tooLong : undefined;
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => /^\s*charset="?([\w-]+)"?\s*$/.exec(each)?.[1]).find(Boolean);
  return /^(?:application|text)\/(?:[\w.-]+\+)?json\s*$/.test(type.trim()) && (!charset || /^utf-?8$/.test(charset));
}

/** Reads a stream up to its bounds. `next` gives the chunks one by one, and `undefined` at the end. */
export async function collectBody(
  next: () => Promise<Uint8Array | undefined>,
  bounds: BodyLimits,
): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyRejected(tooSlow)), bounds.bodyTimeoutMs);
  });
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let chunk = await Promise.race([next(), slow]); chunk; chunk = await Promise.race([next(), slow])) {
      length += chunk.length;
      if (length > bounds.maxBodyBytes) throw new BodyRejected(tooLong);
      chunks.push(chunk);
    }
    return joined(chunks, length);
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * What `parseNotification` takes of a body.
 *
 * @throws {BodyRejected} when it is too long, or not a text in UTF-8.
 */
export function decodeBody(body: unknown, { maxBodyBytes }: BodyLimits): string | object {
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    if (body.byteLength > maxBodyBytes) throw new BodyRejected(tooLong);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(body);
    } catch {
      throw new BodyRejected(respond(400, 'The body is not a text in UTF-8'));
    }
  }
  if (typeof body === 'string' && new Blob([body]).size > maxBodyBytes) throw new BodyRejected(tooLong);
  return typeof body === 'object' && body !== null ? body : String(body);
}
