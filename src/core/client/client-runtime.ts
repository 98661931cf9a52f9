import { TokenSource } from '../recover/token-source.js';
import { bookOf } from '../recover/memory-book.js';
import type { MemoryBook } from '../recover/memory-book.js';
import type { WriteHook } from '../recover/write-hook.js';
import { emitterOf } from '../options/events.js';
import type { Emit } from '../options/events.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { Limits } from '../limits/limits.js';
import { RetryBudget } from '../recover/budget.js';
import { ignoreErrors } from '../scope/wait.js';
import { lowerCaseNames } from '../request/built-request.js';
import { userAgentOf } from '../request/user-agent.js';

/**
 * What all clients of one host and token share: the token and the retry budget. With the clients of other tokens that are
 * derived from the same one, they share the limits.
 */
export class SharedState {
  /** Present if the token comes from a function. */
  readonly tokens: TokenSource | undefined;
  readonly budget = new RetryBudget();
  /** The writes of this process, which all clients of the host share. */
  readonly writes: MemoryBook;
  readonly limits: Limits;
  readonly #baseUrl: string;
  readonly #accessToken: ResolvedOptions['accessToken'];
  readonly #limitsByOrigin: Map<string, Limits>;

  /** `parent` is the state of the client from which this one is derived. */
  constructor(options: ResolvedOptions, parent?: SharedState) {
    const { baseUrl, accessToken, timeoutMs } = options;
    this.writes = parent && parent.#baseUrl === baseUrl ? parent.writes : bookOf(options);
    if (!parent) warnIfApart(options, this.writes);
    this.#baseUrl = baseUrl;
    this.#accessToken = accessToken;
    this.tokens = typeof accessToken === 'function' ? new TokenSource(accessToken, timeoutMs) : undefined;
    this.#limitsByOrigin = parent ? parent.#limitsByOrigin : new Map<string, Limits>();
    const { origin } = new URL(baseUrl);
    this.limits = this.#limitsByOrigin.get(origin) ?? new Limits();
    this.#limitsByOrigin.set(origin, this.limits);
  }

  /** Whether a client with these options calls the same host with the same token. */
  isFor({ baseUrl, accessToken }: ResolvedOptions): boolean {
    return baseUrl === this.#baseUrl && accessToken === this.#accessToken;
  }
}

/** Says in the log that a client was made apart from another one of the same service, so that each learns its limits alone. */
function warnIfApart({ logger, baseUrl }: ResolvedOptions, writes: MemoryBook): void {
  if (writes.hasClient)
    ignoreErrors(() =>
      logger?.warn(
        `There is another SellerClient for ${new URL(baseUrl).origin}, and the two do not share rate limits. Make one, and derive the others with withOptions({ accessToken })`,
      ),
    );
  writes.hasClient = true;
}

/** What all calls of a client share. */
export interface ClientRuntime {
  readonly options: ResolvedOptions;
  readonly shared: SharedState;
  /** Receives the events of calls; `undefined` if nothing observes them. */
  readonly emit: Emit | undefined;
  /** Headers of every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `user-agent`, unless `headers` have one; `undefined` if the platform sends its own. */
  readonly userAgent: string | undefined;
  /** Decides about the writes of this client. */
  readonly writeHook: WriteHook | undefined;
}

/** Creates what all calls of a client share. */
export function createRuntime(
  options: ResolvedOptions,
  shared: SharedState,
  writeHook: WriteHook | undefined,
): ClientRuntime {
  const { logger, tracing } = options;
  return {
    options,
    shared,
    emit: emitterOf(logger, tracing),
    headers: { accept: 'application/json', ...lowerCaseNames(options.headers ?? {}) },
    userAgent: userAgentOf(),
    writeHook,
  };
}
