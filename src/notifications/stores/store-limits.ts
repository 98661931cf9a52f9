import { SellerError } from '../../core/errors/seller-error.js';
import { defined } from '../../core/json/defined.js';
import { checkConfiguration } from '../../core/options/rules.js';
import type { Rule } from '../../core/options/rules.js';
import type { WaitingTotal } from '../../work/sqlite-transaction.js';

/** How much a store holds. */
export interface StoreLimits {
  /**
   * The most waiting notifications of one user and topic. The response to more is 503, and the service delivers them later. All
   * users together have four times as much room, of which nobody takes what others need.
   *
   * @default 100000
   */
  readonly maxWaiting?: number | undefined;
  /**
   * The most bytes of waiting notifications of one user and topic, as JSON, and a quarter of those of all. The response to more is
   * 503.
   *
   * @default 67108864, which is 64 MiB
   */
  readonly maxWaitingBytes?: number | undefined;
  /**
   * The most dead letters. The oldest of the user and topic that has the most is deleted first, and before that what the service
   * knows nothing of.
   *
   * @default 10000
   */
  readonly maxDead?: number | undefined;
  /**
   * The most bytes of dead letters, as JSON; deleted as for `maxDead`.
   *
   * @default 67108864, which is 64 MiB
   */
  readonly maxDeadBytes?: number | undefined;
  /**
   * How long a notification waits that nothing has confirmed, in milliseconds: its resource was never read, for
   * example because there is no handler for its topic. It is deleted then, counted as `expired`, and the log says so.
   *
   * @default 259200000, which is 3 days
   */
  readonly maxAgeMs?: number | undefined;
}

const defaultLimits = {
  maxWaiting: 100_000,
  maxWaitingBytes: 64 * 2 ** 20,
  maxDead: 10_000,
  maxDeadBytes: 64 * 2 ** 20,
  maxAgeMs: 3 * 86_400_000,
};

/** The limits of a store, with their defaults. */
export type ResolvedLimits = Readonly<typeof defaultLimits>;

export const isLimit: Rule = (value) =>
  value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 1)
    ? undefined
    : 'must be a whole number of at least 1';

const limitRules = {
  maxWaiting: isLimit,
  maxWaitingBytes: isLimit,
  maxDead: isLimit,
  maxDeadBytes: isLimit,
  maxAgeMs: isLimit,
};

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

/** All users together have as much room as this number of them, with what the service knows nothing of. */
const rooms = 4;
/** The part of one room that is left to users of whom something was true. */
const reserved = 0.5;

/** What an entry that is added finds. */
export interface Occupied {
  /** What waits of its user and topic. */
  readonly room: Readonly<WaitingTotal>;
  /** What waits of all. */
  readonly total: Readonly<WaitingTotal>;
  /** Whether something of this user and topic was true before. Only asked when little is left. */
  readonly isKnown: () => boolean;
}

/**
 * The error of a store in which one more entry has no room; `undefined` if it has. Nobody takes more than what is left for others,
 * so that a flood for some users leaves room for all.
 */
export function roomError(
  limits: ResolvedLimits,
  { room, total, isKnown }: Occupied,
  bytes: number,
): StoreFullError | undefined {
  const { maxWaiting, maxWaitingBytes } = limits;
  if (room.entries >= maxWaiting) return new StoreFullError(`${maxWaiting} notifications are waiting (\`maxWaiting\`)`);
  if (room.bytes + bytes > maxWaitingBytes)
    return new StoreFullError(`The waiting notifications have ${maxWaitingBytes} bytes (\`maxWaitingBytes\`)`);
  const isLeft = (known: boolean): boolean => {
    const [mostEntries, mostBytes] = roomLimits(limits, total, known);
    return room.entries < mostEntries && room.bytes + bytes <= mostBytes;
  };
  if (isLeft(false) || (isLeft(true) && isKnown())) return undefined;
  return new StoreFullError('Too many notifications of other users are waiting (`maxWaiting`, `maxWaitingBytes`)');
}

/** How many entries and bytes a room may hold, so that enough is left for others; more if something of it was true before. */
export function roomLimits(
  { maxWaiting, maxWaitingBytes }: ResolvedLimits,
  total: Readonly<WaitingTotal>,
  isKnown: boolean,
): readonly [number, number] {
  const share = isKnown ? rooms : rooms - reserved;
  return [
    Math.min(maxWaiting, share * maxWaiting - total.entries),
    Math.min(maxWaitingBytes, share * maxWaitingBytes - total.bytes),
  ];
}

/** Whether more is unconfirmed than has room. */
export function isOver(
  { maxWaiting, maxWaitingBytes }: ResolvedLimits,
  { entries, bytes }: Readonly<WaitingTotal>,
): boolean {
  return entries > maxWaiting || bytes > maxWaitingBytes;
}

/** What the log says of waiting entries that were deleted because nothing has confirmed them. */
export function deletedUnconfirmed(count: number, { maxAgeMs }: ResolvedLimits): string {
  return `${count} notifications were deleted that nothing had confirmed, within ${maxAgeMs} ms (\`maxAgeMs\`) or before their room was full`;
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
