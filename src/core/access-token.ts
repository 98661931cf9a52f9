import type { Bounds } from './bounds.js';
import { AccessTokenError, SellerError } from './errors.js';

/** Gives an access token; `rejected` is the one that the service has just refused with 401. */
export type TokenSupplier = (context: {
  readonly rejected?: string;
  readonly signal: AbortSignal;
}) => string | Promise<string>;

/** Where a client's access token comes from. One request to the supplier at a time serves all calls that wait for it. */
export class TokenSource {
  readonly #supply: string | TokenSupplier;
  #flight: { readonly rejected: string | undefined; readonly token: Promise<string> } | undefined;
  /** The last rejected token and what came in its place. */
  #replaced: { readonly rejected: string; readonly by: string } | undefined;

  constructor(supply: string | TokenSupplier) {
    this.#supply = supply;
  }

  /** The token to send. */
  async current(bounds: Bounds): Promise<string> {
    if (typeof this.#supply === 'string') return this.#supply;
    const token = await this.#ask(undefined, bounds);
    return token === this.#replaced?.rejected ? this.#replaced.by : token;
  }

  /** A token in place of one that was refused; `undefined` where there is no other. */
  async instead(rejected: string, bounds: Bounds): Promise<string | undefined> {
    if (typeof this.#supply === 'string') return undefined;
    if (this.#replaced?.rejected === rejected) return this.#replaced.by;
    const token = await this.#ask(rejected, bounds);
    if (token === rejected) return undefined;
    this.#replaced = { rejected, by: token };
    return token;
  }

  async #ask(rejected: string | undefined, bounds: Bounds): Promise<string> {
    const supply = this.#supply as TokenSupplier;
    let flight = this.#flight;
    if (flight?.rejected !== rejected || flight === undefined) {
      // A supplier serves every call that waits for it, so no single caller's signal may end it.
      const token = (async () =>
        checkedToken(
          await supply({ ...(rejected !== undefined && { rejected }), signal: new AbortController().signal }),
        ))();
      flight = { rejected, token };
      this.#flight = flight;
      const done = (): void => {
        if (this.#flight === flight) this.#flight = undefined;
      };
      token.then(done, done);
    }
    const { token } = flight;
    try {
      return await bounds.race(() => token);
    } catch (error) {
      if (error instanceof SellerError) throw error;
      throw new AccessTokenError('The function given as accessToken failed; its error is the cause', { cause: error });
    }
  }
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
