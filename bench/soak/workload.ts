import type * as Library from 'marketplace-seller-sdk';
import type * as Testing from 'marketplace-seller-sdk/testing';

/** The package under test: its sources in a test, the built package in `npm run soak`. */
export interface Subject {
  readonly library: Pick<
    typeof Library,
    'SellerClient' | 'SellerError' | 'OutcomeUnknownError' | 'RequestAbortedError'
  >;
  readonly testing: Pick<typeof Testing, 'FakeMarketplace'>;
  /** The client options that choose the transport. */
  readonly transport: Partial<Library.ClientOptions>;
}

/** How much is done, from which seed. */
export interface Scale {
  readonly count: number;
  readonly seed: number;
}

export function pick<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)] as T;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Does some work `count` times, at most `concurrency` of it at the same time. */
export async function inParallel(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
