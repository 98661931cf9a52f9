import type { FakeMarketplace } from './marketplace.js';
import type { RequestFilter } from './http/requests.js';

/**
 * The matchers as methods of an assertion, to declare them to the compiler.
 *
 * `R` is what the methods of an assertion return: `void`, or the promise of `expect(...).resolves`.
 */
export interface MarketplaceMatchers<R = void> {
  /** Passes when the marketplace received at least one request that matches the filter. */
  toHaveReceived(filter: RequestFilter): R;
  /** Passes when the marketplace received exactly this many requests that match the filter. */
  toHaveReceivedTimes(times: number, filter?: RequestFilter): R;
}

/**
 * Matchers for `expect.extend` of vitest and jest.
 *
 * @example
 * import { expect } from 'vitest';
 * expect.extend(marketplaceMatchers);
 * // expect(marketplace).toHaveReceived({ endpoint: 'questions.answer', body: { text: 'Yes.' } });
 */
export const marketplaceMatchers = {
  /** Passes when the marketplace received at least one request that matches the filter. */
  toHaveReceived(marketplace: FakeMarketplace, filter: RequestFilter): { readonly pass: boolean; message(): string } {
    const count = marketplace.requests.filter(filter).length;
    return resultOf(marketplace, count > 0, `at least one request with ${printFilter(filter)}`);
  },

  /** Passes when the marketplace received exactly this many requests that match the filter. */
  toHaveReceivedTimes(
    marketplace: FakeMarketplace,
    times: number,
    filter: RequestFilter = {},
  ): { readonly pass: boolean; message(): string } {
    const count = marketplace.requests.filter(filter).length;
    return resultOf(marketplace, count === times, `${times} requests with ${printFilter(filter)}, not ${count}`);
  },
};

function resultOf(
  { requests }: FakeMarketplace,
  pass: boolean,
  expected: string,
): ReturnType<typeof marketplaceMatchers.toHaveReceived> {
  const received = requests.all.map(
    ({ method, path, response }) => `  ${method} ${path} ${response?.status ?? 'broken'}`,
  );
  const list = received.length > 0 ? received.join('\n') : '  none';
  return {
    pass,
    message: () => `expected the marketplace ${pass ? 'not ' : ''}to receive ${expected}\nreceived:\n${list}`,
  };
}

function printFilter(filter: RequestFilter): string {
  return JSON.stringify(filter, (name, value: unknown) => {
    if (value instanceof RegExp) return String(value);
    return name === 'endpoint' && typeof value === 'object' ? (value as { name?: unknown }).name : value;
  });
}
