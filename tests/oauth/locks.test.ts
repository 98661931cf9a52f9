import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AccessTokenError, SellerClient } from 'marketplace-seller-sdk';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { TokenStore } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { bundled } from '../support/program.ts';
import { errorOf } from '../support/stubs.ts';

/** A store of a new file, which is closed with the test. */
function newStore(): { path: string; store: TokenStore } {
  const folder = mkdtempSync(join(tmpdir(), 'locks-'));
  const path = join(folder, 'tokens.db');
  const store = sqliteTokens(path);
  onTestFinished(async () => {
    await store.close?.();
    rmSync(folder, { recursive: true });
  });
  return { path, store };
}

/** Changes who holds the lock of seller 7, as another process would be. */
function changeHolder(path: string, change: (parts: string[]) => string[]): void {
  const db = new DatabaseSync(path);
  const { holder } = db.prepare('SELECT holder FROM seller_lock').get() as { holder: string };
  db.prepare('UPDATE seller_lock SET holder = ?').run(change(holder.split(' ')).join(' '));
  db.close();
}

describe('a lock whose holder', () => {
  /** A process that holds the lock. */
  async function holderOf(path: string): Promise<ChildProcess> {
    const file = await bundled('tests/support/token-holder.ts');
    const child = spawn(process.execPath, [file], { env: { ...process.env, TOKENS: path } });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  }

  test('was killed is taken over at once', async () => {
    const { path, store } = newStore();
    const holder = await holderOf(path);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const startedAt = performance.now();
    expect(await store.lock(7, () => Promise.resolve('taken'))).toBe('taken');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('stands still is not', async () => {
    const { path, store } = newStore();
    const holder = await holderOf(path);
    holder.kill('SIGSTOP');
    let isTaken = false;
    const taking = store.lock(7, () => Promise.resolve((isTaken = true)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isTaken).toBe(false);
    holder.kill('SIGKILL');
    await taking;
  });
});

describe('a lock that this process holds', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets a lock be held, and asks for it after its holder was changed. */
  async function ask(change: (parts: string[]) => string[], work = () => Promise.resolve('taken')) {
    const { path, store } = newStore();
    const held = Promise.withResolvers<undefined>();
    const holding = store.lock(7, () => held.promise);
    await vi.advanceTimersByTimeAsync(100);
    changeHolder(path, change);
    const startedAt = Date.now();
    const asked = await advanceUntilSettled(store.lock(7, work).catch((error: unknown) => error));
    const tookMs = Date.now() - startedAt;
    const again = await advanceUntilSettled(store.lock(7, work).catch((error: unknown) => error));
    const third = await advanceUntilSettled(store.lock(7, work).catch((error: unknown) => error));
    const isOver = Date.now() - startedAt;
    held.resolve(undefined);
    await advanceUntilSettled(holding);
    return { asked, tookMs, results: [asked, again, third].map((each) => each === 'taken'), isOver };
  }

  const other: Readonly<Record<string, (parts: string[]) => string[]>> = {
    'nobody else': (parts) => parts,
    'another host': ([, pid, start, ...rest]) => ['another-host', pid!, start!, ...rest],
    'another host, by a process that this one does not have': ([, , start, ...rest]) => [
      'other',
      '999999999',
      start!,
      ...rest,
    ],
    'another container of this host, by a process that this one does not have': ([host, , , , random]) => [host!, '999999999', '-', 'pid:[1]', random!], // prettier-ignore
  };
  test.each(Object.keys(other))('as if it was %s, is taken over when a refresh cannot take longer', async (name) => {
    const { results, tookMs, isOver } = await ask(other[name]!);
    expect(results).toEqual([false, false, true]);
    expect([tookMs, isOver].map((ms) => Math.round(ms / 1000))).toEqual([20, 45]);
  });

  test.each([60_000, 86_400_000, -86_400_000])('is not taken over when the clock is set by %i ms', async (ms) => {
    const { store } = newStore();
    const held = Promise.withResolvers<undefined>();
    const holding = store.lock(7, () => held.promise);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(Date.now() + ms);
    const asked = store.lock(7, () => Promise.resolve('taken'));
    expect(await advanceUntilSettled(errorOf(asked))).toBeInstanceOf(AccessTokenError);
    held.resolve(undefined);
    await advanceUntilSettled(holding);
    expect(await advanceUntilSettled(store.lock(7, () => Promise.resolve('taken')))).toBe('taken');
  });

  const gone: Readonly<Record<string, (parts: string[]) => string[]>> = {
    'a process that has ended': ([host, , ...rest]) => [host!, '999999999', ...rest],
    // Linux tells when a process began.
    ...(process.platform === 'linux' && {
      'a process with the number of another one': ([host, pid, , ...rest]) => [host!, pid!, '1', ...rest],
    }),
  };
  test.each(Object.keys(gone))('as if it was %s, is taken over at once', async (name) => {
    const { asked, tookMs } = await ask(gone[name]!);
    expect([asked, tookMs < 100]).toEqual(['taken', true]);
  });

  test('of another host, whose clock was a day ahead, is taken over at once', async () => {
    const { path, store } = newStore();
    vi.setSystemTime(Date.now() + 86_400_000);
    const held = Promise.withResolvers<undefined>();
    const holding = store.lock(7, () => held.promise);
    await vi.advanceTimersByTimeAsync(100);
    changeHolder(path, other['another host']!);
    vi.setSystemTime(Date.now() - 86_400_000);
    expect(await advanceUntilSettled(store.lock(7, () => Promise.resolve('taken')))).toBe('taken');
    held.resolve(undefined);
    await advanceUntilSettled(holding);
  });

  test('is timed anew for each holder and each seller, also after another holder was seen', async () => {
    const { path, store } = newStore();
    const waiting = sqliteTokens(path);
    onTestFinished(() => waiting.close?.());
    const ask = (user_id: number): Promise<unknown> =>
      advanceUntilSettled(waiting.lock(user_id, () => Promise.resolve('taken')).catch((error: unknown) => error));
    const startedAt = Date.now();
    const hold = (user_id: number): { let: () => Promise<unknown> } => {
      const held = Promise.withResolvers<undefined>();
      const holding = store.lock(user_id, () => held.promise);
      return { let: () => (held.resolve(undefined), advanceUntilSettled(holding)) };
    };
    const first = hold(7);
    // Twice 20 seconds: the first holder has been seen for 40.
    expect([await ask(7), await ask(7)]).toEqual([expect.any(AccessTokenError), expect.any(AccessTokenError)]);
    const other = hold(8);
    await first.let();
    const second = hold(7);
    // A refresh of 45 seconds began after 40: until 85 nobody takes it over, of neither seller.
    expect([await ask(7), await ask(8)]).toEqual([expect.any(AccessTokenError), expect.any(AccessTokenError)]);
    expect(Math.round((Date.now() - startedAt) / 1000)).toBe(80);
    expect(await ask(7)).toBe('taken');
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(85_000);
    await second.let();
    await other.let();
  });

  test('that was taken over is not freed by its first holder', async () => {
    const { path, store } = newStore();
    const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const overtaken = store.lock(7, () => first.promise);
    await vi.advanceTimersByTimeAsync(100);
    changeHolder(path, gone['a process that has ended']!);
    let isTaken = false;
    const holding = store.lock(7, () => ((isTaken = true), second.promise));
    await vi.waitFor(() => expect(isTaken).toBe(true));
    first.resolve(undefined);
    await advanceUntilSettled(overtaken);
    expect(await advanceUntilSettled(errorOf(store.lock(7, () => Promise.resolve())))).toBeInstanceOf(AccessTokenError);
    second.resolve(undefined);
    await advanceUntilSettled(holding);
  });

  test('makes a call fail with who holds it, and until when', async () => {
    const { store } = newStore();
    const held = Promise.withResolvers<undefined>();
    const now = Date.now();
    const holding = store.lock(7, () => held.promise);
    await store.save(7, { accessToken: 'old', refreshToken: 'r1', expiresAt: now - 1 });
    const client = new SellerClient({ baseUrl: 'https://api.test', fetch: () => Promise.reject(new Error('no')) });
    const sellers = createSellers({ client, tokens: store, refresh: () => Promise.reject(new Error('no')) });
    const seller = await sellers.for(7);
    const error = await advanceUntilSettled(errorOf(seller!.questions.search({ seller_id: 7 }).first()));
    expect(error).toBeInstanceOf(AccessTokenError);
    const until = new Date(now + 45_000).toISOString();
    expect(error.message).toBe(
      `The tokens of the seller 7 are being refreshed by process ${process.pid} on host ${hostname()}, which holds their lock until ${until} at the latest: try again then`,
    );
    held.resolve(undefined);
    await advanceUntilSettled(holding);
  });
});
