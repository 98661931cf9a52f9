import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessTokenError, ClosedError, SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import type { TokenSet } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import type { Inbox } from 'marketplace-seller-sdk/inbox';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { TokenStore } from 'marketplace-seller-sdk/oauth';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import type { Outbox } from 'marketplace-seller-sdk/outbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { about, post } from './support/deliveries.ts';
import { silent, silentLogger } from './support/silent.ts';
import { errorOf } from './support/stubs.ts';

// Each door of what has a `close`, opened after it: nothing begins that nobody would end. What only reads a store opens it again.

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'closed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Which files of a folder this process has open; none where nobody can tell. */
function openFiles(folder: string): string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // It was the one that lists them.
      return [];
    }
  });
}

describe('a refresh does not begin after close(), by whatever door:', () => {
  const day = 86_400_000;
  /** How long the token of a seller is still valid, and whether the service rejects it. */
  const tokens: Readonly<Record<string, { leftMs: number; isRejected?: boolean; works: boolean }>> = {
    'its token has expired': { leftMs: -1, works: false },
    'its token expires soon': { leftMs: 30_000, works: true },
    'its token is rejected': { leftMs: day, isRejected: true, works: false },
    'its token is valid': { leftMs: day, works: true },
  };

  function application() {
    const path = join(newFolder(), 'tokens.db');
    const store = sqliteTokens(path);
    onTestFinished(() => store.close?.());
    const refresh = vi.fn(() =>
      Promise.resolve({ accessToken: 'new', refreshToken: 'r2', expiresAt: Date.now() + day }),
    );
    let isRejected = false;
    const fetch = () =>
      Promise.resolve(isRejected ? Response.json({}, { status: 401 }) : Response.json({ questions: [], total: 0 }));
    const client = new SellerClient({ baseUrl: 'https://api.test', fetch });
    const sellers = createSellers({ client, tokens: store, refresh });
    const setOf = (leftMs: number): TokenSet => ({
      accessToken: 'old',
      refreshToken: 'r1',
      expiresAt: Date.now() + leftMs,
    });
    return { store, refresh, fetch, client, sellers, setOf, reject: (is = true) => void (isRejected = is) };
  }
  const search = (seller: SellerClient | undefined) => seller!.questions.search({ seller_id: 7 }).first();

  type Application = ReturnType<typeof application>;
  const doors: Readonly<Record<string, (app: Application, tokens: TokenSet) => Promise<SellerClient | undefined>>> = {
    'a client of before': async ({ store, sellers }, set) => {
      await store.save(7, set);
      const before = await sellers.for(7);
      await sellers.close();
      return before;
    },
    'a client that is asked for again': async ({ store, sellers }, set) => {
      await store.save(7, set);
      await sellers.for(7);
      await sellers.close();
      return sellers.for(7);
    },
    'a client that is asked for first': async ({ store, sellers }, set) => {
      await store.save(7, set);
      await sellers.close();
      return sellers.for(7);
    },
    'a seller who is added': async ({ sellers }, set) => {
      await sellers.close();
      await sellers.add({ ...set, user_id: 7 });
      return sellers.for(7);
    },
    'a token of its own': async ({ refresh, fetch }, set) => {
      const accessToken = refreshingToken({ load: () => set, save: () => undefined, refresh });
      await accessToken.close();
      return new SellerClient({ baseUrl: 'https://api.test', fetch, accessToken });
    },
    'its store, which is closed first': async ({ store, sellers }, set) => {
      await store.save(7, set);
      const before = await sellers.for(7);
      // Otherwise nothing is known of it.
      await search(before).catch(silent);
      await store.close?.();
      return before;
    },
  };
  const cases = Object.keys(doors).flatMap((door) => Object.keys(tokens).map((state) => [door, state] as const));

  test.each(cases)('%s, and %s', async (door, state) => {
    const app = application();
    const { leftMs, isRejected = false, works } = tokens[state]!;
    // A store that is closed first has tokens that were read before.
    const isOfStore = door.startsWith('its store');
    const client = await doors[door]!(app, app.setOf(isOfStore ? day : leftMs));
    if (isOfStore) vi.useFakeTimers({ now: Date.now() + day - leftMs, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    app.reject(isRejected);
    for (let time = 0; time < 2; time += 1) {
      const call = search(client);
      if (works) expect(await call).toBeUndefined();
      else expect(await errorOf(call)).toBeInstanceOf(AccessTokenError);
    }
    await new Promise(setImmediate);
    expect(app.refresh).not.toHaveBeenCalled();
  });
});

describe('a store of tokens that is closed', () => {
  const doors: Readonly<Record<string, (store: TokenStore) => Promise<unknown>>> = {
    load: (store) => store.load(7),
    save: (store) => store.save(7, { accessToken: 'a' }),
    revoke: (store) => store.revoke(7, { accessToken: 'a' }),
    remove: (store) => store.remove(7),
    sellers: (store) => store.sellers(),
    list: (store) => store.list!(),
    lock: (store) => store.lock(7, () => Promise.resolve('taken')),
  };

  test.each(Object.keys(doors))('says so, and opens no file: %s', async (door) => {
    const folder = newFolder();
    const store = sqliteTokens(join(folder, 'tokens.db'));
    await store.save(7, { accessToken: 'a' });
    await store.close?.();
    expect(await errorOf(doors[door]!(store))).toBeInstanceOf(ClosedError);
    await store.close?.();
    expect(openFiles(folder)).toEqual([]);
  });
});

describe('an inbox or an outbox that is closed asks the service for nothing, and opens no file:', () => {
  function bot() {
    const folder = newFolder();
    const marketplace = new FakeMarketplace();
    const account = marketplace.addUser({ user_id: 7 });
    const { item_id } = marketplace.addItem({ seller_id: 7 });
    const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' });
    const client = marketplace.clientFor(account);
    const questions = vi.fn();
    const of = { clientFor: () => client, sellers: [7], on: { questions }, logger: silentLogger };
    const inbox = createInbox({ ...of, store: sqliteStore(join(folder, 'inbox.db')) });
    const outbox = createOutbox({ ...of, sellers: undefined, on: undefined, store: sqliteStore(join(folder, 'outbox.db')) } as never); // prettier-ignore
    return { folder, marketplace, inbox, outbox, id, questions };
  }
  type Doors<T> = Readonly<Record<string, readonly [(part: T, id: number) => unknown, unknown]>>;
  const isClosed = expect.any(ClosedError) as unknown;

  const ofInbox: Doors<Inbox> = {
    start: [(inbox) => inbox.start(), undefined],
    add: [(inbox, id) => inbox.add(about(id)), isClosed],
    catchUp: [(inbox) => inbox.catchUp(), isClosed],
    'a delivery': [async (inbox, id) => (await fetchHandler(inbox)(post(about(id)))).status, 503],
    idle: [(inbox) => inbox.idle(), undefined],
    close: [(inbox) => inbox.close(), undefined],
  };
  const answer = (id: number): never => ({ key: 'a', user_id: 7, answer: { question_id: id, text: 'Yes.' } }) as never;
  const ofOutbox: Doors<Outbox> = {
    start: [(outbox) => outbox.start(), undefined],
    add: [(outbox, id) => outbox.add(answer(id)), isClosed],
    'start and idle': [(outbox) => Promise.all([outbox.start(), outbox.idle()]), [undefined, undefined]],
    close: [(outbox) => outbox.close(), undefined],
  };
  const cases = [
    ...Object.keys(ofInbox).map((door) => ['inbox', door] as const),
    ...Object.keys(ofOutbox).map((door) => ['outbox', door] as const),
  ];

  test.each(cases)('%s, %s', async (part, door) => {
    for (const isStarted of [true, false]) {
      const { folder, marketplace, inbox, outbox, id, questions } = bot();
      if (isStarted) await (part === 'inbox' ? inbox : outbox).start();
      if (isStarted && part === 'inbox') await vi.waitFor(() => expect(questions).toHaveBeenCalled());
      await Promise.all([inbox.close(), outbox.close()]);
      const asked = marketplace.requests.all.length;
      const [open, expected] = part === 'inbox' ? ofInbox[door]! : ofOutbox[door]!;
      const result = await Promise.resolve((open as (...args: unknown[]) => unknown)(part === 'inbox' ? inbox : outbox, id)).catch((error: unknown) => error); // prettier-ignore
      expect(result).toEqual(expected);
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      expect(marketplace.requests.all.length).toBe(asked);
      expect(questions).toHaveBeenCalledTimes(isStarted && part === 'inbox' ? 1 : 0);
      expect(openFiles(folder)).toEqual([]);
    }
  });
});
