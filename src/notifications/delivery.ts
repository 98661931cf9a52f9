/** One delivery as an adapter sees it: what arrived over HTTP, before anything of it is believed. */
export interface Delivery {
  readonly method: string;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | null | undefined;
  /**
   * The body: its text, its bytes, or the object a framework has made of it.
   *
   * @throws {BodyRefused} when it is too long, too slow, or gone.
   */
  body(bounds: BodyBounds): Promise<unknown>;
}

/** What a body may cost. */
export interface BodyBounds {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** What the service is told. It never repeats anything of what was delivered. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply in plain text. */
export function reply(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** A body that is not read, and the reply that says why. */
export class BodyRefused extends Error {
  readonly reply: Reply;

  constructor(refusal: Reply) {
    super(refusal.body);
    this.reply = refusal;
  }
}

const tooLong = reply(413, 'The body is too long', { connection: 'close' });
const tooSlow = reply(408, 'The body took too long', { connection: 'close' });
const gone = reply(
  500,
  'Something before the receiver has read the body and kept nothing of it. Mount the receiver before it, or keep what it parsed as `body`.',
);

/** A body that something before the receiver has used up. */
export const bodyIsGone = new BodyRefused(gone);

/** Judges what stands before the body; `undefined` where it may be read. */
export function refusalOfHead({ method, header }: Delivery, { maxBodyBytes }: BodyBounds): Reply | undefined {
  if (method !== 'POST') return reply(405, 'Notifications are delivered by POST', { allow: 'POST' });
  const type = header('content-type');
  if (type && !isJson(type)) return reply(415, 'Notifications are JSON');
  const encoding = header('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') return reply(415, 'Notifications are not compressed');
  return Number(header('content-length') ?? 0) > maxBodyBytes ? tooLong : undefined;
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => /^\s*charset="?([\w-]+)"?\s*$/.exec(each)?.[1]).find(Boolean);
  return /^(?:application|text)\/(?:[\w.-]+\+)?json\s*$/.test(type.trim()) && (!charset || /^utf-?8$/.test(charset));
}

/** Reads a stream up to its bounds. `next` gives the chunks one by one, and `undefined` at the end. */
export async function collect(next: () => Promise<Uint8Array | undefined>, bounds: BodyBounds): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyRefused(tooSlow)), bounds.bodyTimeoutMs);
  });
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let chunk = await Promise.race([next(), slow]); chunk; chunk = await Promise.race([next(), slow])) {
      length += chunk.length;
      if (length > bounds.maxBodyBytes) throw new BodyRefused(tooLong);
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
 * @throws {BodyRefused} when it is too long, or not a text in UTF-8.
 */
export function readable(body: unknown, { maxBodyBytes }: BodyBounds): string | object {
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    if (body.byteLength > maxBodyBytes) throw new BodyRefused(tooLong);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(body);
    } catch {
      throw new BodyRefused(reply(400, 'The body is not a text in UTF-8'));
    }
  }
  if (typeof body === 'string' && new Blob([body]).size > maxBodyBytes) throw new BodyRefused(tooLong);
  return typeof body === 'object' && body !== null ? body : String(body);
}
