import type { Endpoint } from '../core/operation/endpoint.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { defined } from '../core/json/defined.js';
import { isObject } from '../core/json/plain-object.js';
import type { Logger } from '../core/options/hooks.js';
import { checkConfiguration, ofType, optionIssues } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { Log } from '../work/log.js';
import { count, retryDefaults, retryRules, time } from '../work/retry.js';
import type { RetryOptions } from '../work/retry.js';
import type { OutboxClient, StoredJob } from './job.js';
import { knownEndpoints } from './known-endpoints.js';
import type { KnownEndpoints } from './known-endpoints.js';
import type { OutboxStore } from './store.js';

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

/** The options of `createOutbox`. */
export interface OutboxOptions {
  /** Where the jobs are kept: `sqliteOutbox(path)`, or `memoryOutbox()`. */
  readonly store: OutboxStore;
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
   * How long moderation may take to decide about a message, in milliseconds. After that the job is a dead letter.
   *
   * @default 86400000, which is 24 hours
   */
  readonly moderationTimeoutMs?: number | undefined;
  /**
   * How long a lease lasts without renewal, in milliseconds: how soon after a crash another process takes over.
   *
   * @default 30000
   */
  readonly leaseMs?: number | undefined;
  /**
   * How long the key of a job is kept that is accepted or rejected, in milliseconds. After that, a job with this key is sent
   * again.
   *
   * @default Infinity
   */
  readonly deduplicationMs?: number | undefined;
  /**
   * How often a store that several processes share is polled, in milliseconds.
   *
   * @default 1000
   */
  readonly pollMs?: number | undefined;
  /**
   * Where failures and rejections are logged.
   *
   * @default undefined: they are printed with `console.error`
   */
  readonly logger?: Logger | undefined;
  /**
   * Called after each failed attempt. What it throws has no effect on the job.
   *
   * @default undefined: without `logger`, failures are printed with `console.error`
   */
  readonly onFailure?: ((failure: JobFailure) => unknown) | undefined;
  /**
   * Called when a job is accepted. What it throws has no effect on the job.
   *
   * @default none
   */
  readonly onSuccess?: ((success: JobSuccess) => unknown) | undefined;
  /**
   * Called when moderation rejected a message. What it throws has no effect on the job.
   *
   * @default undefined: without `logger`, rejections are printed with `console.error`
   */
  readonly onRejection?: ((rejection: JobRejection) => unknown) | undefined;
}

const defaults = {
  concurrency: 32,
  moderationTimeoutMs: 24 * 3_600_000,
  leaseMs: 30_000,
  deduplicationMs: Infinity,
  pollMs: 1_000,
};

/** The options with their defaults filled in. */
export type ResolvedOutboxOptions = Omit<OutboxOptions, keyof typeof defaults | 'retry'> &
  Readonly<typeof defaults> & { readonly retry: Readonly<Record<keyof RetryOptions, number>> };

const callback = ofType('function');

/** What a value is lacking to be a store of an outbox. */
export const outboxStoreRule: Rule = (value) => {
  const methods = isObject(value) ? value : {};
  const names = [
    'add',
    'get',
    'list',
    'claim',
    'renew',
    'note',
    'settle',
    'deadLetters',
    'redrive',
    'removeDeadLetter',
  ];
  const missing = names.find((name) => typeof methods[name] !== 'function');
  return missing === undefined ? undefined : `takes sqliteOutbox(path), memoryOutbox(), or a store with \`${missing}\``;
};

const rules: Readonly<Record<keyof OutboxOptions, Rule>> = {
  store: outboxStoreRule,
  clientFor: callback,
  endpoints: (value) => (Array.isArray(value) ? undefined : 'takes a list of endpoints'),
  concurrency: count,
  retry: (value) => (isObject(value) ? undefined : 'takes an object'),
  moderationTimeoutMs: time,
  leaseMs: time,
  deduplicationMs: (value) => (typeof value === 'number' && value > 0 ? undefined : 'takes a number above 0'),
  pollMs: time,
  logger: (value) => (isObject(value) ? undefined : 'takes a logger'),
  onFailure: callback,
  onSuccess: callback,
  onRejection: callback,
};

/** What every part of an outbox works with. */
export interface OutboxContext {
  readonly options: ResolvedOutboxOptions;
  readonly store: OutboxStore;
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
