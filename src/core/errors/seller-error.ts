import type { Confirmation } from './confirmation.js';

const mark = Symbol.for('marketplace-seller-sdk.error');
const diagnostics = Symbol.for('marketplace-seller-sdk.diagnostics');

/** Options of `toCurl`. */
export interface CurlOptions {
  /**
   * Prints the texts that people wrote. They are masked by default; the token always is.
   *
   * @default false
   */
  readonly texts?: boolean | undefined;
}

/** Options of `confirm`. */
export interface ConfirmOptions {
  /**
   * Aborts the reading.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the service may still carry out the write, in milliseconds.
   *
   * @default the client's `confirmWindowMs`; after a timeout at least `timeoutMs`
   */
  readonly confirmWindowMs?: number | undefined;
  /**
   * The time limit of the whole reading, in milliseconds. Then the result is `unknown`.
   *
   * @default the `deadlineMs` of the call
   */
  readonly deadlineMs?: number | undefined;
}

/** What an error can find out about its request. */
export interface ErrorDiagnostics {
  readonly curl: (options: CurlOptions) => string;
  readonly confirm?: (options: ConfirmOptions) => Promise<Confirmation>;
}

/** Lets an error find out more about its request; diagnostics that it already has stay. */
export function attachDiagnostics(error: SellerError, attached: ErrorDiagnostics): void {
  if (!(diagnostics in error)) Object.defineProperty(error, diagnostics, { value: attached });
}

function diagnosticsOf(error: object): ErrorDiagnostics | undefined {
  return (error as { [diagnostics]?: ErrorDiagnostics })[diagnostics];
}

/** The `confirm()` of an error. */
export async function confirmError(error: object, options: ConfirmOptions): Promise<Confirmation> {
  const confirm = diagnosticsOf(error)?.confirm;
  return confirm ? confirm(options) : { unknown: 'there is no way to read back what this endpoint does' };
}

/**
 * The root of every error this library throws.
 *
 * Remedy: see the subclass, and the page that `docsPath` names.
 *
 * `instanceof` works across duplicate copies of the package (an ES module copy and a CommonJS copy in one process): a
 * class is identified by its `kind`, not by the class object.
 */
export class SellerError extends Error {
  /** The class's name, stable under minification. */
  static readonly kind: string = 'SellerError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: new.target.kind, configurable: true, writable: true });
    Object.defineProperty(this, mark, { value: kindsOf(new.target) });
  }

  /**
   * The request as a curl command, to run by hand. Its token is masked, and so are the texts that people wrote unless
   * `texts` is `true`. `undefined` where there was no request.
   */
  toCurl(options: CurlOptions = {}): string | undefined {
    return diagnosticsOf(this)?.curl(options);
  }

  /** The page with the error's cause and remedy: a file in the installed package. */
  get docsPath(): string {
    return `marketplace-seller-sdk/docs/errors/${(this.constructor as typeof SellerError).kind}.md`;
  }

  static override [Symbol.hasInstance](this: unknown, value: unknown): boolean {
    if (typeof this !== 'function' || typeof value !== 'object' || value === null) return false;
    const own = Object.hasOwn(this, 'kind');
    if (!own) return (this as unknown as { prototype: object }).prototype.isPrototypeOf(value);
    const kinds = (value as { [mark]?: readonly string[] })[mark];
    if (kinds === undefined) return false;
    if (Object.hasOwn(this, 'statuses')) {
      return kinds.includes('ApiError') && isWithin(value, (this as unknown as StatusClass).statuses);
    }
    return kinds.includes((this as unknown as typeof SellerError).kind);
  }
}

/** A class that stands for a range of statuses; every error of those is an instance of it. */
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
