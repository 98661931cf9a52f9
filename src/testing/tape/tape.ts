import { isObject } from '../../core/json/plain-object.js';
import { FakeMarketplaceError } from '../errors.js';
import { hashOf } from './id-forms.js';

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

interface TapeLine {
  readonly tape?: unknown;
  readonly number?: unknown;
  readonly end?: unknown;
  readonly sum?: unknown;
}

/** Reads a tape. @throws {FakeMarketplaceError} that names the line at which the tape is not as it was recorded */
export function parseTape(text: string): TapeExchange[] {
  const lines = text.split('\n');
  const exchanges: TapeExchange[] = [];
  let sum = 0;
  for (const [index, line] of lines.entries()) {
    const at = `line ${index + 1} of the tape`;
    if (line.trim() === '') throw cutAfter(index, text);
    const { sum: given, ...fields } = readLine(line, at, index === lines.length - 1);
    if (fields.tape !== version) throw new FakeMarketplaceError(otherVersion(at, fields.tape));
    sum = sumOf(sum, fields);
    if (given !== sum)
      throw new FakeMarketplaceError(
        `${at} was edited, or a line before it was removed, added or moved; record the tape again`,
      );
    if (fields.end !== undefined) {
      if (
        lines
          .slice(index + 1)
          .join('')
          .trim() === ''
      )
        return exchanges;
      throw new FakeMarketplaceError(
        `${at} is the last line of a recording, but other lines follow; record the tape again`,
      );
    }
    const { tape: _, number: __, ...exchange } = fields;
    exchanges.push(exchange as TapeExchange);
  }
  throw cutAfter(lines.length, text);
}

function cutAfter(count: number, text: string): FakeMarketplaceError {
  const reason =
    text.trim() === '' ? 'the tape is empty' : `the tape is cut after line ${count}: its last line is missing`;
  return new FakeMarketplaceError(`${reason}. Stop the recorder with Ctrl+C before you use a tape, or record it again`);
}

function readLine(line: string, at: string, isLast: boolean): TapeLine {
  try {
    const value = JSON.parse(line) as TapeLine | null;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Named below.
  }
  throw new FakeMarketplaceError(
    isLast ? `${at} is cut in the middle; record the tape again` : `${at} is no exchange; record the tape again`,
  );
}

function otherVersion(at: string, found: unknown): string {
  const what = found === undefined ? 'has the form of an earlier version' : `has version ${JSON.stringify(found)}`;
  return `${at} ${what}, and this program reads version ${version}; record the tape again with \`fake record\``;
}
