import { SellerError } from '../../core/errors/seller-error.js';
import { defined } from '../../core/json/defined.js';
import { checkConfiguration } from '../../core/options/rules.js';
import type { Rule } from '../../core/options/rules.js';
import type { WaitingTotal } from '../../work/sqlite-transaction.js';

/** How much a store holds. */
export interface StoreLimits {
  /**
   * The most waiting notifications. The response to more is 503, and the service delivers them later.
   *
   * @default 100000
   */
  readonly maxWaiting?: number | undefined;
  /**
   * The most bytes of waiting notifications, as JSON. The response to more is 503.
   *
   * @default 268435456, which is 256 MiB
   */
  readonly maxWaitingBytes?: number | undefined;
  /**
   * The most dead letters; the oldest is deleted first.
   *
   * @default 10000
   */
  readonly maxDead?: number | undefined;
  /**
   * The most bytes of dead letters, as JSON; the oldest is deleted first.
   *
   * @default 67108864, which is 64 MiB
   */
  readonly maxDeadBytes?: number | undefined;
}

const defaultLimits = {
  maxWaiting: 100_000,
  maxWaitingBytes: 256 * 2 ** 20,
  maxDead: 10_000,
  maxDeadBytes: 64 * 2 ** 20,
};

/** The limits of a store, with their defaults. */
export type ResolvedLimits = Readonly<typeof defaultLimits>;

export const isLimit: Rule = (value) =>
  value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 1)
    ? undefined
    : 'must be a whole number of at least 1';

const limitRules = { maxWaiting: isLimit, maxWaitingBytes: isLimit, maxDead: isLimit, maxDeadBytes: isLimit };

/**
 * Checks the options of a store, and fills in the default limits.
 *
 * @param rules The options beside the limits.
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function resolveStoreOptions<Options extends StoreLimits>(
  creator: string,
  options: Options,
  rules: Readonly<Record<Exclude<keyof Options, keyof StoreLimits>, Rule>>,
): Options & ResolvedLimits {
  checkConfiguration(creator, options, { ...limitRules, ...rules });
  return { ...defaultLimits, ...defined(options) };
}

/** The error of a store in which no more bytes may wait; `undefined` if it is not full. */
export function fullError(
  { maxWaiting, maxWaitingBytes }: ResolvedLimits,
  { entries, bytes }: Readonly<WaitingTotal>,
  newBytes: number,
): StoreFullError | undefined {
  if (entries >= maxWaiting) return new StoreFullError(`${maxWaiting} notifications are waiting (\`maxWaiting\`)`);
  if (bytes + newBytes <= maxWaitingBytes) return undefined;
  return new StoreFullError(`The waiting notifications have ${maxWaitingBytes} bytes (\`maxWaitingBytes\`)`);
}

/** What the log says of a dead letter that is deleted because `maxDead` or `maxDeadBytes` was reached. */
export function deletedForRoom(key: string): string {
  return `The dead letter ${key} was deleted for want of room (\`maxDead\`, \`maxDeadBytes\`)`;
}

/**
 * A store is full. The receiver responds 503, and the service delivers the notification again later.
 *
 * Remedy: raise `concurrency` or the store's `maxWaiting`, or use a durable store.
 */
export class StoreFullError extends SellerError {
  static override readonly kind: string = 'StoreFullError';
}
