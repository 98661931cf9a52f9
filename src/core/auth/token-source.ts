import { longestTimer } from '../retry/cancel-scope.js';
import type { CancelScope } from '../retry/cancel-scope.js';
import { AccessTokenError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';

/** Gives an access token; `rejected` is the one that the service has just refused with 401. */
export type TokenProvider = (context: {
  readonly rejected?: string;
  /** Ends when the token is no longer waited for: the supplier took longer than `timeoutMs`. */
  readonly signal: AbortSignal;
}) => string | Promise<string>;

/** One question to the supplier. */
interface PendingToken {
  readonly rejected: string | undefined;
  readonly token: Promise<string>;
}

/** Where a client's access token comes from. One question to the supplier at a time serves all calls that wait for it. */
export class TokenSource {
  readonly #supply: string | TokenProvider;
  readonly #limitMs: number;
  #flight: PendingToken | undefined;
  /** The last rejected token and what came in its place. */
  #replaced: { readonly rejected: string; readonly by: string } | undefined;

  /** `limitMs` bounds one question to the supplier. */
  constructor(supply: string | TokenProvider, limitMs: number) {
    this.#supply = supply;
    this.#limitMs = limitMs;
  }

  /** The token to send; a plain value where nobody needs to wait. */
  current(bounds: CancelScope): string | Promise<string> {
    if (typeof this.#supply === 'string') return this.#supply;
    return this.#flight ? this.#await(this.#flight, bounds) : this.#ask(undefined, bounds);
  }

  /** A token in place of one that was refused; `undefined` where there is no other. */
  async replace(rejected: string, bounds: CancelScope): Promise<string | undefined> {
    if (typeof this.#supply === 'string') return undefined;
    if (this.#replaced?.rejected === rejected) return this.#replaced.by;
    // A question asked before the refusal was known may bring a newer token, and two at once could lose the grant.
    while (this.#flight && this.#flight.rejected !== rejected) {
      const other = await this.#await(this.#flight, bounds);
      if (other !== rejected) return other;
    }
    const token = await this.#ask(rejected, bounds);
    return token === rejected ? undefined : token;
  }

  #ask(rejected: string | undefined, bounds: CancelScope): string | Promise<string> {
    if (this.#flight) return this.#await(this.#flight, bounds);
    const controller = new AbortController();
    const given = this.#given(rejected, controller.signal);
    if (typeof given === 'string') return this.#settled(rejected, given);
    const flight = { rejected, token: this.#bounded(given, rejected, controller) };
    this.#flight = flight;
    const land = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    flight.token.then(land, land);
    return this.#await(flight, bounds);
  }

  /** What the supplier gives, checked. */
  #given(rejected: string | undefined, signal: AbortSignal): string | Promise<string> {
    const supply = this.#supply as TokenProvider;
    let given: unknown;
    try {
      given = supply({ ...(rejected !== undefined && { rejected }), signal });
    } catch (error) {
      throw failed(error);
    }
    return typeof given === 'string' ? checkedToken(given) : Promise.resolve(given).then(checkedToken);
  }

  /** No single caller's signal may end what serves all of them, so it has a time limit of its own. */
  #bounded(given: Promise<string>, rejected: string | undefined, controller: AbortController): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer =
        this.#limitMs <= longestTimer
          ? setTimeout(() => {
              const late = new AccessTokenError(
                `The function given as accessToken gave no token within ${this.#limitMs} ms`,
              );
              controller.abort(late);
              reject(late);
            }, this.#limitMs)
          : undefined;
      given.finally(() => clearTimeout(timer)).then((token) => resolve(this.#settled(rejected, token)), reject);
    });
  }

  /** A supplier that goes on giving the rejected token is not believed. */
  #settled(rejected: string | undefined, token: string): string {
    if (rejected === undefined) return token === this.#replaced?.rejected ? this.#replaced.by : token;
    if (token !== rejected) this.#replaced = { rejected, by: token };
    return token;
  }

  async #await({ token }: PendingToken, bounds: CancelScope): Promise<string> {
    try {
      return await bounds.race(() => token);
    } catch (error) {
      throw failed(error);
    }
  }
}

function failed(error: unknown): SellerError {
  if (error instanceof SellerError) return error;
  return new AccessTokenError('The function given as accessToken failed; its error is the cause', { cause: error });
}

/** @throws {AccessTokenError} when the value cannot stand in an Authorization header. */
function checkedToken(value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  const what =
    typeof value === 'string'
      ? 'an empty token or one with characters that no token has'
      : `a value of type ${typeof value}`;
  throw new AccessTokenError(`The function given as accessToken gave ${what}; it must give the token as a string`);
}
