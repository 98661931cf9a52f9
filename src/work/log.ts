import { ConfigurationError } from '../core/errors/errors.js';
import type { Logger } from '../core/options/hooks.js';
import { FifoMap } from './fifo-map.js';

type Level = 'error' | 'warn' | 'info';

/** A logger, whose methods may also be asynchronous. */
type AsyncLogger = Readonly<Record<Level, (message: string, fields?: object) => unknown>>;

/** How often a failure is written that repeats, in milliseconds, and of how many that is known. */
const [rarelyMs, maxSaid] = [60_000, 100];

/** Writes to the logger of the user; without one, with `console.error`. A logger that fails has no effect. */
export class Log {
  readonly #logger: AsyncLogger | undefined;
  /** When failures were written last, and how many there were since. */
  readonly #said = new FifoMap<{ at: number; count: number }>(maxSaid);

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** @param failure What `describeFailure` says of an error. */
  async write(level: Level, message: string, failure?: string): Promise<void> {
    const line = printable(failure === undefined ? message : `${message}: ${failure}`);
    // `console` would print an argument that is `undefined`.
    const fields = failure === undefined ? [] : [{ error: failure }];
    try {
      // oxlint-disable-next-line no-console -- failures are visible by default
      if (!this.#logger) console.error(line);
      else await this.#logger[level](line, ...fields);
    } catch {
      // A logger that fails has nowhere to report it.
    }
  }

  /** Writes about a failure that repeats: one line a minute, which says how many there were. */
  async writeRarely(message: string, error: unknown): Promise<void> {
    // A store that cannot be opened, or has no space, fails for everybody who uses it, for one reason.
    const reason = describeFailure(error);
    const key = isOfStore(error) ? reason : `${message} ${reason}`;
    const said = this.#said.get(key) ?? { at: -Infinity, count: 0 };
    this.#said.set(key, said);
    said.count += 1;
    if (performance.now() - said.at < rarelyMs) return;
    const times = said.count > 1 ? ` (${said.count} times since it was said last)` : '';
    Object.assign(said, { at: performance.now(), count: 0 });
    await this.write('error', `${message}${times}`, reason);
  }
}

/** The name and the start of the message of an error, as a log and a dead letter have it. */
export function describeFailure(error: unknown): string {
  const text = textOf(error);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** A handler may throw anything, also an error whose properties throw. */
function textOf(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    const said = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
    return ['string', 'number'].includes(typeof said)
      ? `a thrown ${typeof error}: ${String(said)}`
      : `a thrown ${typeof error}`;
  } catch {
    return 'an error that cannot be read';
  }
}

/** Escapes what could control a terminal, break a line or change the order of what it shows: the text is of strangers. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** What the log says of a dead letter that made room. */
export function deadLetterDeleted(key: string, most: number): string {
  return `The dead letter ${key} was deleted: its seller has more than ${most}, and the oldest goes`;
}

/** What the log says of an entry that cannot be read. */
export function damagedFound(key: string): string {
  return `The entry ${key} is damaged and was set aside`;
}

/** Whether an error is of a store: a wrong configuration, or the code of a system or a database. It may be anything that was thrown. */
function isOfStore(error: unknown): boolean {
  try {
    if (error instanceof ConfigurationError) return true;
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
    return typeof (code ?? cause?.code) === 'string';
  } catch {
    return false;
  }
}
