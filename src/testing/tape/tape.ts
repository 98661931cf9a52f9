import { isObject } from '../../core/json/plain-object.js';
import { FakeMarketplaceError } from '../errors.js';
import { hashOf } from './mask-text.js';

/** The version of the form of a tape. */
const version = 2;

/**
 * What a body is: JSON, a form, the parts of an upload, nothing, or the media type of any other body, of which only the
 * size is on the tape.
 */
export interface TapeBody {
  readonly kind: string;
  readonly value: unknown;
}

/** Returns the fields of a value that is an object; none of any other. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** A part of a multipart body. */
export type FormPart = readonly [name: string, value: string | File];

/** A part of a multipart body on a tape: a file, or a text. */
export interface TapePart {
  readonly name: string;
  readonly value?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly size?: number;
}

/** What became of the token of a call. */
export type TokenState = 'valid' | 'rejected' | 'expired' | 'malformed' | 'without application';

/** One exchange on a tape, masked: a line of JSON. */
export interface TapeExchange {
  /** When the service responded, by its own clock: ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The name of the endpoint; `null` if there is none. */
  readonly endpoint: string | null;
  /**
   * Whose token the call had: `user 1`, `user 2` and so on, in the order of their first call, or the label of a token that
   * the tape has issued; `null` without one.
   */
  readonly caller: string | null;
  /** The user of the token, if the token names one; otherwise `null`. */
  readonly user: string | null;
  readonly token: TokenState | null;
  /** The headers that matter. */
  readonly headers: Readonly<Record<string, string>>;
  readonly request: TapeBody;
  readonly status: number;
  /** The headers of the response that matter. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: TapeBody;
  /** Whether the ids are those of the service. */
  readonly idsAreKept?: true | undefined;
}

/** Writes the lines of a tape. Each line has a checksum of itself and of the lines before it. */
export class TapeWriter {
  #count = 0;
  #sum = 0;

  /** The number of exchanges. */
  get count(): number {
    return this.#count;
  }

  /** Returns the line of an exchange. */
  line(exchange: TapeExchange): string {
    this.#count += 1;
    return this.#signed({ tape: version, number: this.#count, ...exchange });
  }

  /** Returns the last line, without which a tape is incomplete. */
  end(): string {
    return this.#signed({ tape: version, end: this.#count });
  }

  #signed(fields: object): string {
    this.#sum = sumOf(this.#sum, fields);
    return `${JSON.stringify({ ...fields, sum: this.#sum })}\n`;
  }
}

function sumOf(before: number, fields: object): number {
  return hashOf(`${before} ${JSON.stringify(fields)}`);
}

/** Reads a tape. @throws {FakeMarketplaceError} that names the line at which the tape is not as it was recorded */
export function parseTape(text: string): TapeExchange[] {
  const lines = text.trimEnd().split('\n');
  const whole = lines.includes('') ? lines.slice(0, lines.indexOf('')) : lines;
  const exchanges: TapeExchange[] = [];
  let sum = 0;
  for (const [index, line] of whole.entries()) {
    const { sum: given, ...fields } = fieldsOf(jsonOf(line));
    sum = sumOf(sum, fields);
    const isLast = index === lines.length - 1;
    const wrong = wrongIn(fields, given === sum, isLast);
    if (wrong !== undefined)
      throw new FakeMarketplaceError(
        `line ${index + 1} of the tape ${wrong}; record the tape again with \`fake record\``,
      );
    const { tape: _, number: __, ...exchange } = fields;
    if (fields.end === undefined) exchanges.push(exchange as unknown as TapeExchange);
    else return exchanges;
  }
  const reason =
    text.trim() === '' ? 'the tape is empty' : `the tape is cut after line ${whole.length}: its last line is missing`;
  throw new FakeMarketplaceError(`${reason}. Stop the recorder with Ctrl+C before you use a tape, or record it again`);
}

/** Says what is wrong in a line; `undefined` if it is as it was recorded. */
function wrongIn(fields: Readonly<Record<string, unknown>>, isSigned: boolean, isLast: boolean): string | undefined {
  if (Object.keys(fields).length === 0) return isLast ? 'is cut in the middle' : 'is no exchange';
  if (fields.tape === undefined) return 'has the form of an earlier version';
  if (fields.tape !== version)
    return `has version ${JSON.stringify(fields.tape)}, and this program reads version ${version}`;
  if (!isSigned) return 'was edited, or a line before it was removed, added or moved';
  return fields.end === undefined || isLast ? undefined : 'is the last line of a recording, but other lines follow';
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
