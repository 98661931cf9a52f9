import type { TokenStore } from 'marketplace-seller-sdk/oauth';
import { testsOf } from './conformance-test.ts';
import type { ConformanceTest } from './conformance-test.ts';

/**
 * The rules that `createSellers` relies on, as tests for a store of tokens of your own. Each test opens an empty store.
 *
 * @example
 * for (const { name, run } of tokenStoreConformance(() => sqliteTokens(':memory:'))) {
 *   await run();
 *   console.log(name);
 * }
 */
export function tokenStoreConformance(open: () => TokenStore | Promise<TokenStore>): ConformanceTest[] {
  return testsOf(rules, open);
}

const first = { accessToken: 'a1', refreshToken: 'r1', expiresAt: 2_000_000_000_000 };
const second = { accessToken: 'a2', refreshToken: 'r2' };

const rules: Readonly<Record<string, (store: TokenStore) => Promise<void>>> = {
  'an empty store has no sellers': async (store) => {
    equal(await store.load(7), undefined);
    equal(await store.sellers(), []);
    equal(await store.remove(7), false);
  },
  'the tokens of a seller are those that were saved last': async (store) => {
    await store.save(7, first);
    await store.save(8, first);
    await store.save(7, second);
    equal((await store.load(7))?.tokens, second);
    equal((await store.load(8))?.tokens, first);
    equal([...(await store.sellers())].sort(), [7, 8]);
  },
  'one of two marks a seller as revoked, who is then no seller': async (store) => {
    await store.save(7, first);
    const marked = await Promise.all([store.revoke(7, first), store.revoke(7, first)]);
    equal(marked.filter(Boolean).length, 1);
    equal((await store.load(7))?.isRevoked, true);
    equal(await store.sellers(), []);
  },
  'new tokens are not marked for the old ones, and clear the mark': async (store) => {
    await store.save(7, first);
    await store.revoke(7, first);
    await store.save(7, second);
    equal((await store.load(7))?.isRevoked, false);
    equal(await store.revoke(7, first), false);
    equal(await store.sellers(), [7]);
  },
  'of tokens without a refresh token, only those that are given are marked': async (store) => {
    await store.save(7, { accessToken: 'a2' });
    equal(await store.revoke(7, { accessToken: 'a1' }), false);
    equal(await store.sellers(), [7]);
    equal(await store.revoke(7, { accessToken: 'a2' }), true);
  },
  'all are listed in the order of their ids, with their state': async (store) => {
    for (const user_id of [8, 7]) await store.save(user_id, first);
    await store.revoke(8, first);
    const listed = await store.list?.();
    equal(listed?.map(({ user_id, state }) => [user_id, state]), [[7, 'connected'], [8, 'revoked']]); // prettier-ignore
  },
  'a seller is removed with the tokens': async (store) => {
    await store.save(7, first);
    equal(await store.remove(7), true);
    equal(await store.load(7), undefined);
  },
  'a lock runs one function at a time, returns its result, and is given back after an error': async (store) => {
    let running = 0;
    let most = 0;
    const work = async (): Promise<number> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      return (running -= 1);
    };
    const failing = store
      .lock(7, () => Promise.reject(new Error('failed')))
      .then(
        () => 'no error',
        () => 'an error',
      );
    equal(await failing, 'an error');
    equal(await Promise.all([store.lock(7, work), store.lock(7, work), store.lock(7, work)]), [0, 0, 0]);
    equal(most, 1);
  },
  'the locks of two sellers do not wait for each other': async (store) => {
    equal(await store.lock(7, () => store.lock(8, () => Promise.resolve('both'))), 'both');
  },
};

function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`expected ${JSON.stringify(expected)}, but the store returned ${JSON.stringify(actual)}`);
}
