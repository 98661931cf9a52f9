import { AccessTokenError, ConfigurationError, GrantRevokedError, isOfFramework } from '../errors/errors.js';
import { printable, Redactor, withoutSecrets } from '../errors/redactor.js';
import { withMessageParts } from '../errors/seller-error.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { TokenProvider } from '../options/hooks.js';
import { isToken } from '../options/rules.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import { SingleFlight } from '../scope/single-flight.js';

/** Asks the user's function for the access token of a client. All calls that wait for a token share one call of the provider. */
export class TokenSource {
  readonly #provider: TokenProvider;
  readonly #calls: SingleFlight<string>;
  /** The rejected token that the provider is asked to replace. */
  #replacing: string | undefined;
  /** The last rejected token and its replacement. */
  #replaced: { readonly rejected: string; readonly by: string } | undefined;
  /** The token that the provider has returned last; `undefined` before that. */
  latest: string | undefined;

  /** `timeoutMs` limits one call of the provider. */
  constructor(provider: TokenProvider, timeoutMs: number) {
    this.#provider = provider;
    this.#calls = new SingleFlight(timeoutMs, noToken);
  }

  /** Returns the token to send; not a promise if the token is already known. */
  current(scope: CancelScope): string | Promise<string> {
    return this.#request(undefined, scope);
  }

  /** Returns a replacement for a token that got a 401; `undefined` if there is none. */
  async replace(rejected: string, scope: CancelScope): Promise<string | undefined> {
    if (this.#replaced?.rejected === rejected) return this.#replaced.by;
    // A pending request may return a newer token, and two requests in parallel could both use the same refresh token.
    while (this.#calls.isUnderWay && this.#replacing !== rejected) {
      const other = await this.current(scope);
      if (other !== rejected) return other;
    }
    const token = await this.#request(rejected, scope);
    return token === rejected ? undefined : token;
  }

  #request(rejected: string | undefined, scope: CancelScope): string | Promise<string> {
    return this.#calls.run((signal) => this.#callProvider(rejected, signal), { scope });
  }

  /** Calls the provider and checks its token. */
  #callProvider(rejected: string | undefined, signal: AbortSignal): string | Promise<string> {
    this.#replacing = rejected;
    const failure = (error: unknown): unknown => {
      const known = [rejected, this.latest, this.#replaced?.by];
      return providerError(
        error,
        known.filter((each) => each !== undefined),
      );
    };
    let provided: unknown;
    try {
      provided = this.#provider({ ...(rejected !== undefined && { rejected }), signal });
    } catch (error) {
      throw failure(error);
    }
    const accept = (token: unknown): string => this.#accept(rejected, checkToken(token));
    if (typeof provided === 'string') return accept(provided);
    return Promise.resolve(provided).then(accept, (error: unknown) => {
      throw failure(error);
    });
  }

  /** If the provider returns a rejected token again, its replacement is used. */
  #accept(rejected: string | undefined, token: string): string {
    this.latest = token;
    if (rejected === undefined) return token === this.#replaced?.rejected ? this.#replaced.by : token;
    if (token !== rejected) this.#replaced = { rejected, by: token };
    return token;
  }
}

function noToken(limitMs: number): AccessTokenError {
  return new AccessTokenError(`The function given as accessToken returned no token within ${limitMs} ms`);
}

/** Any other error of the provider is a cause: the caller would take a 503 of the token endpoint for one of the call. */
const ownErrors = [AccessTokenError, ConfigurationError, GrantRevokedError];

/** Longer messages are cut before they are searched, and told up to a part that nobody cuts a token in. */
const longestReason = 20_000;
const longestTold = 300;

/** `tokens` are those that are known: an error of the provider, such as one of a database, may have them in its words. */
function providerError(error: unknown, tokens: readonly string[]): unknown {
  if (isOfFramework(error)) return error;
  const cause = withoutSecrets(error, tokens);
  if (ownErrors.some((each) => cause instanceof each)) return cause;
  const reason = error instanceof Error ? error.message : 'it rejected with a value that is not an error';
  const told = new Redactor({ secrets: tokens }).foreignText(printable(reason.slice(0, longestReason)));
  const [own, said] = ['The function given as accessToken failed', told.slice(0, longestTold)];
  return withMessageParts(new AccessTokenError(`${own}: ${said}`, { cause }), { own, said });
}

/** @throws {AccessTokenError} when the value cannot be part of an Authorization header. */
function checkToken(value: unknown): string {
  if (typeof value === 'string' && isToken(value)) return value;
  const what =
    typeof value === 'string'
      ? 'an empty token or one with characters that no token has'
      : `a value of type ${typeof value}`;
  throw new AccessTokenError(
    `The function given as accessToken returned ${what}; it must return the token as a string`,
  );
}

/** Returns the user id in an access token; `undefined` if the token contains none. */
export function userOfToken(token: string): string | undefined {
  return /^APP_USR-.{1,200}-(\d{1,20})$/.exec(token)?.[1];
}

/** Returns the user for whom a call is made: that of the token, else the seller in the path; `undefined` if unknown. */
export function userOf(
  { path }: Pick<Endpoint, 'path'>,
  input: unknown,
  token: string | undefined,
): string | undefined {
  const field = ['seller_id', 'user_id'].find((name) => path.includes(`{${name}}`));
  const inPath = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
  const user = typeof inPath === 'string' || typeof inPath === 'number' ? String(inPath) : undefined;
  return userOfToken(token ?? '') ?? user;
}
