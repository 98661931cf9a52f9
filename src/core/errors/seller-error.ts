const mark = Symbol.for('marketplace-seller-sdk.error');
const endedCall = Symbol.for('marketplace-seller-sdk.call');
const messageParts = Symbol.for('marketplace-seller-sdk.parts');

/** Options of `toCurl`. */
export interface CurlOptions {
  /**
   * Prints the texts that users wrote, which are masked by default. The token is always masked.
   *
   * @default false
   */
  readonly texts?: boolean | undefined;
}

/** What the error of a call can do afterwards. */
interface EndedCall {
  /** Whether it does no harm when it is carried out twice. */
  readonly isRepeatable: boolean;
  readonly toCurl: (options: CurlOptions) => string;
  readonly confirm: (options: ConfirmOptions) => Promise<Confirmation>;
}

/** Attaches its call to an error, unless it already has one. */
export function attachCall(error: SellerError, call: EndedCall): void {
  if (!(endedCall in error)) Object.defineProperty(error, endedCall, { value: call });
}

/** The two parts of a message: what this library says, and what others do, such as the service or the network. */
interface MessageParts {
  readonly own: string;
  readonly said: string;
}

/** Keeps the parts of an error's message, for those who must not take the words of others for those of this library. */
export function withMessageParts<E extends SellerError>(error: E, parts: MessageParts): E {
  return Object.defineProperty(error, messageParts, { value: parts });
}

/** The parts of an error's message; `undefined` if nobody has kept them. */
export function messagePartsOf(error: SellerError): MessageParts | undefined {
  return (error as { [messageParts]?: MessageParts })[messageParts];
}

/** Returns a copy of an error that several calls share, so that each can attach its own call. */
export function copyOfError(error: SellerError): SellerError {
  // Created as an error: loggers recognise one by more than its class.
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error) as object) as SellerError;
  const stack = { value: error.stack, configurable: true, writable: true };
  return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(error), stack });
}

/** The call of an error; `undefined` if it is not that of a call. */
export function callOf(error: object): EndedCall | undefined {
  return (error as { [endedCall]?: EndedCall })[endedCall];
}

/** Implements `confirm()` of the errors. */
export async function confirmError(error: SellerError, options: ConfirmOptions): Promise<Confirmation> {
  return callOf(error)?.confirm(options) ?? cannotConfirm;
}

/**
 * The base class of all errors that this library throws.
 *
 * Remedy: catch the subclass that you can handle, and ask `isLasting` of the others.
 *
 * `instanceof` works across duplicate copies of the package (an ES module copy and a CommonJS copy in one process): a
 * class is identified by its `kind`, not by the class object.
 */
export class SellerError extends Error {
  /** The name of the class, which minification does not change. */
  static readonly kind: string = 'SellerError';
  /** Whether waiting does not help; `undefined`: the status decides. */
  static readonly lasting: boolean | undefined = false;
  /**
   * Whether waiting does not help: the same call is rejected until somebody changes something, such as its input or the state of
   * the item. `false` says only that it may succeed: a write may have been carried out already. Not enumerable.
   */
  declare readonly isLasting: boolean;
  /** The entries that `forEach` of a list had worked through before this error; `undefined` for other errors. */
  declare readonly done?: readonly unknown[];

  /** The entries that `toArray()` had when it failed; `undefined` for other errors. */
  declare readonly delivered?: readonly unknown[] | undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: new.target.kind, configurable: true, writable: true });
    Object.defineProperties(this, printing);
    Object.defineProperty(this, mark, { value: kindsOf(new.target) });
    Object.defineProperty(this, 'isLasting', { value: new.target.lasting ?? false, configurable: true });
  }

  /**
   * Returns the request as a curl command; `undefined` if there was no request. The token is masked. The texts that
   * users wrote are masked unless `texts` is `true`.
   */
  toCurl(options: CurlOptions = {}): string | undefined {
    return callOf(this)?.toCurl(options);
  }

  /** The place that says the error's cause and remedy: a file in the installed package, mostly with the anchor of a heading. */
  get docsPath(): string {
    return `marketplace-seller-sdk/docs/errors/${pageOfError((this.constructor as typeof SellerError).kind)}`;
  }

  static override [Symbol.hasInstance](this: unknown, value: unknown): boolean {
    if (typeof this !== 'function' || typeof value !== 'object' || value === null) return false;
    if (!Object.hasOwn(this, 'kind')) return (this as unknown as { prototype: object }).prototype.isPrototypeOf(value);
    const kinds = (value as { [mark]?: readonly string[] })[mark];
    if (kinds === undefined) return false;
    if (Object.hasOwn(this, 'statuses')) {
      return kinds.includes('ApiError') && isWithin(value, (this as unknown as StatusClass).statuses);
    }
    return kinds.includes((this as unknown as typeof SellerError).kind);
  }
}

/** Where `docs/errors` describes a class. Four have so much to say that they have pages of their own. */
export function pageOfError(kind: string): string {
  const hasPage = /^(?:Configuration|InvalidInput|NoChannel|OutcomeUnknown)Error$/.test(kind);
  return hasPage ? `${kind}.md` : `README.md#${kind.toLowerCase()}`;
}

/** A class for a range of statuses: every error with one of these statuses is an instance of it. */
interface StatusClass {
  readonly statuses: readonly [number, number];
}

function isWithin(error: object, [from, to]: readonly [number, number]): boolean {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= from && status <= to;
}

function kindsOf(constructor: typeof SellerError): readonly string[] {
  const kinds: string[] = [];
  for (let each: unknown = constructor; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    if (Object.hasOwn(each, 'kind')) kinds.push((each as typeof SellerError).kind);
  }
  return kinds;
}

/** The result of reading back a write whose response was lost. */
export type Confirmation<Out = unknown> =
  /** The write was carried out. `output` is what the call would have returned, as far as it can be read back. */
  | { readonly done: true; readonly output: Out; readonly unknown?: undefined }
  /** The write was not carried out: if you send it again, it is not duplicated. */
  | { readonly done: false; readonly unknown?: undefined }
  /**
   * Reading back does not show whether the write was carried out; `unknown` is a sentence with the reason. `mayChange`: it may
   * show that later, because another write of this seller is being sent.
   */
  | { readonly done?: undefined; readonly unknown: string; readonly mayChange?: true };

/** The result for a write that leaves nothing to read, such as an upload. */
export const cannotConfirm: Confirmation<never> = { unknown: 'there is no way to read back what this endpoint does' };

/** Options of `confirm`. */
export interface ConfirmOptions {
  /**
   * Aborts reading back.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the service may still carry out the write, in milliseconds. It is read back repeatedly for this long.
   *
   * @default 3_000; after a timeout at least `timeoutMs`
   */
  readonly confirmWindowMs?: number | undefined;
  /**
   * The time limit for reading back, in milliseconds. After it, the result is `unknown`.
   *
   * @default the `deadlineMs` of the call
   */
  readonly deadlineMs?: number | undefined;
}

/** Options of `confirm` of a client, for a write that was stored before it was sent. */
export interface SentWriteOptions extends ConfirmOptions {
  /**
   * When the write was sent for the first time, by the clock of this machine: milliseconds since 1970, at most the time at
   * which `call` began.
   */
  readonly sentAt: number;
}

/** The most characters of a text that is printed, of one inside a list or an object, and of all together. */
const [mostOfText, mostInside, mostTogether] = [500, 120, 1_800];
/** The most entries of a list that are printed, and the deepest objects. */
const [mostEntries, mostDepth] = [20, 4];

/** What only a program reads. */
const unprinted = new Set(['stack', 'headers', 'delivered', 'done', 'toJSON']);

const customInspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes an error print its beginning only, in `console.log`, JSON and test runners: a body, a list of issues or what the service
 * sends may have any length. All of it stays there to be read.
 */
const printing: PropertyDescriptorMap = {
  toJSON: { value: toJson },
  [customInspect]: { value: inspected },
};

/**
 * What is enumerable, and what is not as something that is not enumerable: a log does not show it, and Vitest, which prints every
 * own name, does.
 */
function toJson(this: Error): object {
  const shown = {};
  const shorten = shortener();
  for (const [name, { enumerable, value }] of ownOf(this)) {
    if (unprinted.has(name)) continue;
    const text = name === 'body' && typeof value === 'object' ? JSON.stringify(value) : (value as unknown);
    Object.defineProperty(shown, name, { value: shorten(text), enumerable: enumerable === true });
  }
  return shown;
}

type Inspect = (value: unknown, options: object) => string;

function inspected(this: Error, depth: number, options: object, inspect?: Inspect): unknown {
  // Other runtimes pass no function.
  if (!inspect) return this.stack;
  const copy = Object.setPrototypeOf(new Error(this.message), Object.getPrototypeOf(this) as object) as Error;
  const shorten = shortener();
  Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(this), [customInspect]: { value: undefined } });
  for (const [name, { enumerable, value }] of ownOf(this))
    if (enumerable === true) Object.defineProperty(copy, name, { value: shorten(value), enumerable });
  return inspect(copy, { ...options, depth });
}

function ownOf(error: Error): [string, PropertyDescriptor][] {
  return Object.entries(Object.getOwnPropertyDescriptors(error));
}

/** Returns a function that returns the beginning of values, which share a number of characters. */
function shortener(): (value: unknown) => unknown {
  let left = mostTogether;
  const cut = (text: string, most: number): string => {
    const kept = Math.max(0, Math.min(most, left));
    left -= Math.min(text.length, kept);
    return text.length <= kept ? text : `${text.slice(0, kept)}… (${text.length} characters)`;
  };
  const shorten = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return cut(value, depth === 0 ? mostOfText : mostInside);
    if (typeof value !== 'object' || value === null || value instanceof Error) return value;
    if (depth > mostDepth) return '…';
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    const shown: [string, unknown][] = [];
    for (const [name, each] of entries) {
      if (shown.length === mostEntries || left <= 0) break;
      shown.push([isList ? name : cut(name, mostInside), shorten(each, depth + 1)]);
    }
    const more = entries.length - shown.length;
    if (isList) return [...shown.map(([, each]) => each), ...(more > 0 ? [`… and ${more} more`] : [])];
    return { ...Object.fromEntries(shown), ...(more > 0 && { '…': `and ${more} more` }) };
  };
  return (value) => shorten(value, 0);
}
