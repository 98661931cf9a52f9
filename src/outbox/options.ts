import type { SellerClient } from '../client.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { defined, isObject } from '../core/json/json.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import type { Logger } from '../core/options/hooks.js';
import {
  checkConfiguration,
  endpointList,
  integerFrom,
  namedEndpointError,
  notNegative,
  ofType,
  optionIssues,
} from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { endpoints, listEndpoints } from '../endpoints.js';
import { Log } from '../work/log.js';
import { Observer } from '../work/observer.js';
import { retryDefaults, retryRules, time, type RetryLimits, type RetryOptions } from '../work/policy.js';
import { ServiceOfStore } from '../work/service.js';
import {
  keepDataMs,
  keepKeysMsOf,
  storeRule,
  type Engine,
  type InnerEngine,
  type InnerStore,
  type Store,
} from '../work/store.js';

/** The part of a seller's client that an outbox needs: `messages` only for messages. */
export interface OutboxClient extends Pick<SellerClient, 'call'>, Partial<Pick<SellerClient, 'messages' | 'confirm'>> {}

/** A write: a call of an endpoint, or a message through the channel that is open when it is sent. */
export type Step<In = unknown> =
  | {
      readonly endpoint: Endpoint<In>;
      /** What `seller.call` takes. It must be possible to write it as JSON; a `file` is a path. */
      readonly input: NoInfer<In>;
      readonly contact?: undefined;
    }
  | {
      /** A message through the channel that is open when it is sent: see `messages.contact`. */
      readonly contact: Parameters<SellerClient['messages']['contact']>[0];
      readonly endpoint?: undefined;
      readonly input?: undefined;
    };

/** A job: one write, or several `steps`. The compiler checks each input against its endpoint. */
export type Job<In = unknown, Ins extends readonly unknown[] = readonly unknown[]> = {
  /** Your own name of the job, e.g. `invoice-42`. A key is sent once, however often it is added. */
  readonly key: string;
  /** The seller, for `clientFor`. */
  readonly user_id: number;
  /**
   * When it may begin: a `Date`, or ISO 8601 text with a time zone, at most 90 days from now. It is not sent earlier by the clock of the
   * machine that sends it, with PostgreSQL by that of its server, nor by the service's where responses have shown that this machine's is
   * ahead. `waiting.retryNow` does not change that. Of a known key, the first one stands.
   *
   * @default now
   */
  readonly notBefore?: Date | string | undefined;
} & (
  | (Step<In> & { readonly steps?: undefined })
  | {
      /**
       * The steps of the job. Each begins when the one before is accepted. The files that steps upload become the `attachments` of
       * the next message.
       */
      readonly steps: { readonly [Index in keyof Ins]: Step<Ins[Index]> };
      readonly endpoint?: undefined;
      readonly input?: undefined;
      readonly contact?: undefined;
    }
);

/** A step as a store keeps it. `endpoint` is its name, or `contact`. */
export type StoredStep = StoredJob['steps'][number];

/** A job as a store keeps it. JSON can represent it. */
export interface StoredJob {
  readonly key: string;
  readonly user_id: number;
  /** The pack of its first message; absent if it has none. */
  readonly pack_id?: number | string | undefined;
  /** When it may begin, in ISO 8601; absent if that was at once. */
  readonly notBefore?: string | undefined;
  readonly steps: readonly {
    readonly endpoint: string;
    readonly input: Readonly<Record<string, unknown>>;
  }[];
}

/**
 * - `waiting`: it is sent later, such as from `notBefore` on, or its moderation is followed.
 * - `running`: a process works on it.
 * - `accepted`: the service carried it out, and moderation let its messages pass.
 * - `rejected`: moderation rejected a message; the steps behind it are not sent.
 * - `dead`: it was given up, and a person decides: see `deadLetters`.
 */
export type JobState = 'waiting' | 'running' | 'accepted' | 'rejected' | 'dead';

/** A job, and what has become of it. */
export interface JobStatus {
  readonly entry: StoredJob;
  readonly state: JobState;
  /** Whether its data is gone, because it ended long ago or was removed: then `entry` has no steps, and `outputs` is empty. */
  readonly isReduced?: true | undefined;
  /** How many attempts have failed. */
  readonly failures: number;
  /** Why moderation rejected it, why it is dead, or the last error of a job that waits. */
  readonly reason?: string | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** What the steps have returned that are accepted. */
  readonly outputs: readonly unknown[];
  /** Its place in the list; the next page begins after it. A job that ends gets a new one. */
  readonly number: number;
}

/** What an outbox holds. */
export interface OutboxStats {
  /** Jobs that wait for their first or next attempt, or for moderation. */
  readonly waiting: number;
  /** Jobs that a process works on. */
  readonly running: number;
  readonly dead: number;
  readonly accepted: number;
  readonly rejected: number;
  /** How long ago the oldest open job was added, or might begin, in milliseconds; absent when none is open. */
  readonly oldestAgeMs?: number | undefined;
}

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

/** How long jobs that have ended are kept. Dead letters are kept until they are replayed or removed; with BullMQ for 14 days. */
export interface KeepOptions {
  /**
   * How long the key of a job is known, in milliseconds: if it is added again meanwhile, it is not sent again. Its state, its times and a
   * hash of its input are kept with it.
   *
   * @default 31536000000, which is a year; with BullMQ 2592000000, which is 30 days
   */
  readonly keysMs?: number | undefined;
  /**
   * How long an accepted or rejected job keeps its input and outputs, in milliseconds, at most as long as its key. Until then it is listed.
   *
   * @default 2592000000, which is 30 days
   */
  readonly dataMs?: number | undefined;
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
   * How long what has ended is kept.
   *
   * @default the defaults of `KeepOptions`
   */
  readonly keep?: KeepOptions | undefined;
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
export type ResolvedOutboxOptions = Omit<OutboxOptions, keyof typeof defaults | 'retry' | 'keep'> &
  Readonly<typeof defaults> & {
    readonly retry: RetryLimits;
    readonly keep: Readonly<Record<keyof KeepOptions, number>>;
  };

const callback = ofType('function');

const rules: Readonly<Record<keyof OutboxOptions, Rule>> = {
  store: storeRule,
  clientFor: callback,
  endpoints: endpointList,
  concurrency: integerFrom(1),
  retry: (value) => (isObject(value) ? undefined : 'takes an object'),
  leaseMs: time,
  keep: (value) => (isObject(value) ? undefined : 'takes an object'),
  logger: (value) => (isObject(value) ? undefined : 'takes a logger'),
  onFailure: callback,
  onSuccess: callback,
  onRejection: callback,
};

/** What every part of an outbox works with. */
export interface OutboxContext {
  readonly options: ResolvedOutboxOptions;
  readonly store: InnerStore | InnerEngine;
  /** Of which service the store is. */
  readonly service?: ServiceOfStore | undefined;
  readonly known: KnownEndpoints;
  readonly log: Log;
  readonly observer: Observer<JobSuccess>;
}

/** Checks the options of an outbox. @throws {ConfigurationError} when one is missing, unknown or wrong */
export function outboxContext(options: OutboxOptions): OutboxContext {
  checkConfiguration('createOutbox', options, rules, ['store', 'clientFor']);
  const { retry = {}, keep = {}, ...given } = defined(options);
  assertGroup('retry', retry, retryRules);
  assertGroup('keep', keep, { keysMs: notNegative, dataMs: notNegative });
  const resolved = {
    ...{ ...defaults, ...given },
    retry: { ...retryDefaults, ...defined(retry) },
    keep: { keysMs: keepKeysMsOf(options.store), dataMs: keepDataMs, ...defined(keep) },
  };
  const { endpoints, logger } = resolved;
  const store = resolved.store as InnerStore | InnerEngine;
  const log = new Log(logger);
  const service = new ServiceOfStore(store, resolved.clientFor);
  const known = knownEndpoints(endpoints);
  return { options: resolved, store, service, known, log, observer: new Observer(log, resolved) };
}

/** @throws {ConfigurationError} when an option in an option is unknown or wrong */
function assertGroup(name: string, group: object, groupRules: Readonly<Record<string, Rule>>): void {
  const [problem] = optionIssues(group, groupRules);
  if (problem) throw new ConfigurationError(`createOutbox: ${problem.message.replace('`', `\`${name}.`)}`);
}

/** The endpoints that a job can name, by name: after a restart, the name is what is left of one. */
export type KnownEndpoints = ReadonlyMap<string, Endpoint>;

/** @throws {ConfigurationError} when an endpoint of the user is wrong, or has the name of one of this package. */
function knownEndpoints(own: readonly Endpoint[] = []): KnownEndpoints {
  const known = new Map(listEndpoints(endpoints).map((each): [string, Endpoint] => [each.name, each as Endpoint]));
  for (const endpoint of own) {
    const problem = namedEndpointError(endpoint);
    if (problem)
      throw new ConfigurationError(`createOutbox: \`endpoints\`: ${problem.message.replace('Not sent: ', '')}`);
    if (known.has(endpoint.name))
      throw new ConfigurationError(`createOutbox: \`endpoints\`: there is an endpoint ${endpoint.name} already`);
    known.set(endpoint.name, endpoint);
  }
  return known;
}
