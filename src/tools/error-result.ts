import type { SellerClient } from '../client.js';
import { ConfigurationError, InvalidInputError, RequestAbortedError, TimeoutError } from '../core/errors/errors.js';
import { ApiError } from '../core/errors/response-errors.js';
import { messagePartsOf, SellerError, type Confirmation } from '../core/errors/seller-error.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { isWord, quoted } from './compact.js';
import { remedyFor } from './own-operations.js';

/** What a model needs to know of an error. It has no token; what the service says stands in «». */
interface ErrorFacts {
  readonly class: string;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly message: string;
  /** Waiting does not help: the same call is rejected until somebody changes something. */
  readonly isLasting: boolean;
  /** The operation may or may not have been carried out. */
  readonly outcomeUnknown: boolean;
  readonly whatToDo: string;
}

type Failed = Extract<SentOutcome, { error: object }>;

/** Describes for a model how a call failed. */
export function errorFacts({ error, unknown, isUndone }: Failed, endpoint?: Endpoint, input?: unknown): ErrorFacts {
  const { code, status } = error instanceof ApiError ? error : {};
  const { name, isLasting } = error;
  const outcomeUnknown = !isUndone && isOutcomeUnknown(error);
  const whatToDo = outcomeUnknown ? readBack(unknown) : isUndone ? again : remedyOf(error);
  const message = messageOf(error, endpoint, input);
  return {
    class: name,
    code: code === undefined || isWord(code) ? code : quoted(code),
    status,
    message,
    isLasting,
    outcomeUnknown,
    whatToDo,
  };
}

/** The errors whose messages have no words of others. */
const ownWords = [InvalidInputError, ConfigurationError, TimeoutError, RequestAbortedError];

/** What was called and how it ended, and in «» what others said of it: the service may repeat texts of people. */
function messageOf(error: SellerError, endpoint: Endpoint | undefined, input: unknown): string {
  const isOwn = ownWords.some((type) => error instanceof type);
  const { own, said } =
    messagePartsOf(error) ?? (isOwn ? { own: error.message, said: '' } : { own: '', said: error.message });
  return [withIds(own, endpoint, input), said && quoted(said)].filter((part) => part !== '').join(': ');
}

/** Returns the message of an error with the ids of its call in place of the names in the path. */
export function withIds(message: string, endpoint: Endpoint | undefined, input: unknown): string {
  if (!endpoint) return message;
  const ids = (input ?? {}) as Readonly<Record<string, unknown>>;
  const path = endpoint.path.replace(/\{(\w+)\*?\}/g, (name, field: string) => {
    const given = ids[field];
    const id = typeof given === 'string' || typeof given === 'number' ? String(given).replace(/^\//, '') : '';
    return /^[\w.:/-]+$/.test(id) ? id : name;
  });
  return message.replace(endpoint.path, () => path);
}

const again = 'Reading back shows that nothing was done, so it can be called again.';

function readBack(unknown = 'its response was lost'): string {
  return (
    'Do not repeat it, and do not try it in other words: it may have been carried out. Read what it would have changed, or ask ' +
    `a person. If it is called again with the same input, it is read back first. Why that is not known: ${quoted(unknown)}.`
  );
}

function remedyOf(error: SellerError): string {
  if (error instanceof InvalidInputError) return 'Nothing was sent. Correct the fields that the message names.';
  return remedyFor(error.name) ?? 'Tell the person what the message says.';
}

/** How a write ended. `unknown` is why reading back does not show it; `isUndone`: reading back shows that nothing was done. */
export type SentOutcome =
  | { readonly output: unknown; readonly error?: undefined }
  | { readonly error: SellerError; readonly unknown?: string; readonly isUndone?: true };

/** Whether a failed write may have been carried out. */
function isOutcomeUnknown(error: unknown): error is SellerError & { confirm(): Promise<Confirmation> } {
  return error instanceof SellerError && (error as { outcomeUnknown?: unknown }).outcomeUnknown === true;
}

interface UnknownWrite {
  readonly sentAt: number;
  readonly error: SellerError;
}

/** The writes of which it is not known whether they were carried out, by seller, operation and input. */
export type UnknownWrites = Map<string, UnknownWrite>;

/** Sends each write once: one whose response was lost is read back, at once and when it is asked for again. */
export class SentWrites {
  readonly #client: SellerClient;
  readonly #unknown: UnknownWrites;
  readonly #seller: string;

  /** `unknown` outlasts the client of a seller, which may be made anew for each call. */
  constructor(client: SellerClient, unknown: UnknownWrites = new Map(), seller = '') {
    this.#client = client;
    this.#unknown = unknown;
    this.#seller = seller;
  }

  /** Sends a write, unless an equal one of this seller may have been carried out already. */
  async send(endpoint: Endpoint, input: unknown): Promise<SentOutcome> {
    const key = `${this.#seller} ${endpoint.name} ${JSON.stringify(input)}`;
    const earlier = this.#unknown.get(key);
    if (earlier) {
      const found = await this.#readBack(() => this.#client.confirm(endpoint, input, { sentAt: earlier.sentAt }));
      this.#unknown.delete(key);
      if (found.done !== false) return this.#outcomeOf(key, earlier, found);
    }
    const sentAt = Date.now();
    try {
      return { output: await this.#client.call(endpoint, input) };
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      return this.#outcomeOf(key, { sentAt, error }, await this.#readBack(() => error.confirm()));
    }
  }

  #outcomeOf(key: string, write: UnknownWrite, found: Confirmation): SentOutcome {
    if (found.done) return { output: found.output };
    if (found.done === false) return { error: write.error, isUndone: true };
    this.#unknown.set(key, write);
    return { error: write.error, unknown: found.unknown };
  }

  /** What fails to be read back stays unknown: its error would hide that the write may have been carried out. */
  async #readBack(confirm: () => Promise<Confirmation>): Promise<Confirmation> {
    return confirm().catch((error: unknown) => ({
      unknown: `it cannot be read back now (${error instanceof Error ? error.message : 'an error'})`,
    }));
  }
}
