import type { Endpoint } from '../core/operation/endpoint.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { defined } from '../core/json/defined.js';
import { isObject } from '../core/json/plain-object.js';
import type { Logger } from '../core/options/hooks.js';
import { checkConfiguration, integerFrom, ofType, optionIssues } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { Log } from '../work/log.js';
import { retryDefaults, retryRules, time } from '../work/retry.js';
import type { RetryLimits, RetryOptions } from '../work/retry.js';
import type { Store } from '../work/store.js';
import { storeRule } from '../work/store-rule.js';
import type { Engine } from '../work/works.js';
import type { OutboxClient, StoredJob } from './job.js';
import { knownEndpoints } from './known-endpoints.js';
import type { KnownEndpoints } from './known-endpoints.js';

/** One failed attempt to do a job. */
export interface JobFailure {
  readonly entry: StoredJob;
  readonly error: unknown;
  readonly attempt: number;
  /** Whether this was the last attempt: the job is a dead letter now. */
  readonly dead: boolean;
}

/** A job that is accepted. */
export interface JobSuccess {
  readonly entry: StoredJob;
  /** What its steps have returned. */
  readonly outputs: readonly unknown[];
  readonly attempt: number;
}

/** A job with a message that moderation rejected. */
export interface JobRejection {
  readonly entry: StoredJob;
  /** The reason of moderation, e.g. `PERSONAL_DATA`. */
  readonly reason: string;
}

/**
 * The options of `createOutbox`. Each callback is told at least once: what it is told of is stored when it has ended. If the process
 * is killed meanwhile, the next one tells again.
 */
export interface OutboxOptions {
  /**
   * Where the jobs are kept: `sqliteStore(path)`, `postgresStore({ pool })`, `memoryStore()` or `bullmq({ Queue, Worker, connection })`. An inbox may
   * use the same one.
   */
  readonly store: Store | Engine;
  /** Returns the client of a seller. If it returns none, the attempt has failed: the job is tried again later, as `retry` says. */
  readonly clientFor: (user_id: number) => OutboxClient | undefined | Promise<OutboxClient | undefined>;
  /**
   * Endpoints of your own that jobs name: after a restart, only the name is left of an endpoint.
   *
   * @default none
   */
  readonly endpoints?: readonly Endpoint[] | undefined;
  /**
   * How many jobs run at once.
   *
   * @default 32
   */
  readonly concurrency?: number | undefined;
  /**
   * How failed attempts are retried. An error that cannot pass, such as a 400, is not retried.
   *
   * @default the defaults of `RetryOptions`
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * How long a lease lasts without renewal, in milliseconds: how soon after a crash another process takes over.
   *
   * @default 30000
   */
  readonly leaseMs?: number | undefined;
  /**
   * Where failures and rejections are logged.
   *
   * @default undefined: they are printed with `console.error`
   */
  readonly logger?: Logger | undefined;
  /**
   * Called after each failed attempt, and waited for, up to 5 minutes. What it throws has no effect on the job.
   *
   * @default undefined: without `logger`, failures are printed with `console.error`
   */
  readonly onFailure?: ((failure: JobFailure) => unknown) | undefined;
  /**
   * Called when a job is accepted, and waited for, up to 5 minutes. What it throws has no effect on the job.
   *
   * @default none
   */
  readonly onSuccess?: ((success: JobSuccess) => unknown) | undefined;
  /**
   * Called when moderation rejected a message, and waited for, up to 5 minutes. What it throws has no effect on the job.
   *
   * @default undefined: without `logger`, rejections are printed with `console.error`
   */
  readonly onRejection?: ((rejection: JobRejection) => unknown) | undefined;
}

const defaults = { concurrency: 32, leaseMs: 30_000 };

/** The options with their defaults filled in. */
export type ResolvedOutboxOptions = Omit<OutboxOptions, keyof typeof defaults | 'retry'> &
  Readonly<typeof defaults> & { readonly retry: RetryLimits };

const callback = ofType('function');

const rules: Readonly<Record<keyof OutboxOptions, Rule>> = {
  store: storeRule,
  clientFor: callback,
  endpoints: (value) => (Array.isArray(value) ? undefined : 'takes a list of endpoints'),
  concurrency: integerFrom(1),
  retry: (value) => (isObject(value) ? undefined : 'takes an object'),
  leaseMs: time,
  logger: (value) => (isObject(value) ? undefined : 'takes a logger'),
  onFailure: callback,
  onSuccess: callback,
  onRejection: callback,
};

/** What every part of an outbox works with. */
export interface OutboxContext {
  readonly options: ResolvedOutboxOptions;
  readonly store: Store | Engine;
  readonly known: KnownEndpoints;
  readonly log: Log;
}

/** Checks the options of an outbox. @throws {ConfigurationError} when one is missing, unknown or wrong */
export function outboxContext(options: OutboxOptions): OutboxContext {
  checkConfiguration('createOutbox', options, rules, ['store', 'clientFor']);
  const { retry = {}, ...given } = defined(options);
  const [problem] = optionIssues(retry, retryRules);
  if (problem) throw new ConfigurationError(`createOutbox: ${problem.message.replace('`', '`retry.')}`);
  const resolved = { ...defaults, ...given, retry: { ...retryDefaults, ...defined(retry) } };
  const { store, endpoints, logger } = resolved;
  return { options: resolved, store, known: knownEndpoints(endpoints), log: new Log(logger) };
}
