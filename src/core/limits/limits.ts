import type { Endpoint } from '../operation/endpoint.js';
import { ApplicationLimit, TurnQueue, TokenLimit } from './turn-queue.js';
import { Bucket } from './bucket.js';

export type { TurnQueue, AcquireRejection } from './turn-queue.js';

/** Idle tokens are dropped when there are this many. */
const maxTokens = 500;

/** The endpoints that the service limits together. */
export interface EndpointGroup {
  /** The first part of their names, for example `messages`. */
  readonly group: string;
  /** Whether they write. The service counts reads and writes separately. */
  readonly isWrite: boolean;
}

/** Returns the group of an endpoint. */
export function groupOf({ name, method }: Endpoint): EndpointGroup {
  const dot = name.indexOf('.');
  return { group: dot < 0 ? name : name.slice(0, dot), isWrite: method !== 'GET' && method !== 'OPTIONS' };
}

/**
 * The limits of an application at one service. What a 429 means is not guessed: it stops the seller that got it, in the
 * group of endpoints, and it slows the others down there.
 *
 * This is the only door to the limits. A call takes the queue of its token and endpoint, leaves it at its end, and for each
 * attempt
 *
 * 1. takes a place: `tryAcquire`, or else `acquire`, which says why it gets none,
 * 2. reports how it ended: `release`. A 429 pauses the queue by that. If it says `true`, the call waits for the queue like all
 *    others, in `acquire`; if it says `false`, the 429 may be random, and the call waits by itself.
 *
 * `pausedMs` says how long the queue is paused. Of the 429s of a call, those since `rowBeganAt` of its bucket count for its end:
 * while other calls succeed, waiting goes on.
 */
export class Limits {
  /** By group. */
  readonly #applications = new Map<string, ApplicationLimit>();
  readonly #tokens = new Map<unknown, TokenLimit>();
  /** Those of functions, which end with them. */
  readonly #ofFunctions = new WeakMap<object, TokenLimit>();
  #mostBeforeDrop = maxTokens;

  /** Returns the queue of a token, or of the function that returns it, for a call that uses it until `leave`. */
  of(token: unknown, endpoint: Endpoint, concurrency: number): TurnQueue {
    const limits = typeof token === 'function' ? this.#ofFunctions : this.#tokens;
    const limit = limits.get(token as object) ?? this.#addToken(token, limits);
    const { group, isWrite } = groupOf(endpoint);
    const groupName = isWrite ? `${group} writes` : group;
    const queueName = `${groupName} ${concurrency}`;
    let turnQueue = limit.turnQueues.get(queueName);
    if (!turnQueue) limit.turnQueues.set(queueName, (turnQueue = this.#turnQueueOf(limit, groupName, concurrency)));
    limit.calls += 1;
    return turnQueue;
  }

  #turnQueueOf(token: TokenLimit, groupName: string, concurrency: number): TurnQueue {
    let application = this.#applications.get(groupName);
    if (!application) this.#applications.set(groupName, (application = new ApplicationLimit()));
    let bucket = token.buckets.get(groupName);
    if (!bucket) token.buckets.set(groupName, (bucket = new Bucket(Infinity, false)));
    return new TurnQueue(application, token, bucket, concurrency);
  }

  #addToken(token: unknown, limits: Map<unknown, TokenLimit> | WeakMap<object, TokenLimit>): TokenLimit {
    if (this.#tokens.size >= this.#mostBeforeDrop) this.#dropIdle();
    const limit = new TokenLimit();
    limits.set(token as object, limit);
    return limit;
  }

  #dropIdle(): void {
    const now = performance.now();
    for (const [token, limit] of this.#tokens) if (limit.isIdle(now)) this.#tokens.delete(token);
    // Otherwise each new token would search all that are in use.
    this.#mostBeforeDrop = Math.max(maxTokens, 2 * this.#tokens.size);
  }
}
