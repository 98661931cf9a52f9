import { ConfigurationError } from '../../core/errors/errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import { checkConfiguration } from '../../core/options/rules.js';

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

/** The limits of dead letters, with their defaults. */
export type DeadLetterLimits = Readonly<Pick<typeof defaultLimits, 'maxDead' | 'maxDeadBytes'>>;

/**
 * Fills in the default limits.
 *
 * @throws {ConfigurationError} when a limit is not a whole number of at least 1, or Infinity.
 */
export function resolveLimits({
  maxWaiting,
  maxWaitingBytes,
  maxDead,
  maxDeadBytes,
}: StoreLimits): Readonly<typeof defaultLimits> {
  const limits = { ...defaultLimits };
  for (const [name, value] of Object.entries({ maxWaiting, maxWaitingBytes, maxDead, maxDeadBytes })) {
    if (value === undefined) continue;
    assertLimit(name, value);
    limits[name as keyof typeof limits] = value;
  }
  return limits;
}

/** @throws {ConfigurationError} when a limit is not a whole number of at least 1, or Infinity. */
export function assertLimit(name: string, value: unknown): void {
  if (value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 1)) return;
  throw new ConfigurationError(`\`${name}\` must be a whole number of at least 1`);
}

/** @throws {ConfigurationError} when a store's options are not an object, or one is unknown. */
export function assertNames(creator: string, options: unknown, names: readonly string[] = []): void {
  const known = [...Object.keys(defaultLimits), ...names];
  checkConfiguration(creator, options, Object.fromEntries(known.map((name) => [name, () => undefined])));
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
