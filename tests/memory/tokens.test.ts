import { AuthenticationError, GrantRevokedError, SellerClient } from 'marketplace-seller-sdk';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { Sellers, TokenStore } from 'marketplace-seller-sdk/oauth';
import { afterAll, expect, vi } from 'vitest';
import { advanceUntil, advanceUntilSettled } from '../support/fake-time.ts';
import { newFiles } from '../support/new-files.ts';
import { remembering } from '../support/remembering.ts';

// What is remembered of tokens: one request at a time, the newest token, and nothing of what has failed.

const wireQuestion = { id: 42, status: 'UNANSWERED', text: 'Hay stock?', item_id: 'MLA1', seller_id: 7 };

interface Provider {
  client: SellerClient;
  abort: AbortController;
  /** The token that the service takes, the one that the function has, and those that the service has rejected. */
  valid: string;
  held: string;
  rejected: Set<string>;
  /** Calls of the function that have no answer yet. */
  asked: { rejected: string | undefined; answer: PromiseWithResolvers<string> }[];
  calls: Promise<unknown>[];
  /** What must not be: it is said in the end, because a call rejects with what its function throws. */
  wrong: string[];
  results: unknown[];
}

let tokens = 0;
const newToken = (): string => `token-${(tokens += 1)}`;

function providing(): Provider {
  const valid = newToken();
  const world: Provider = {
    client: undefined as never,
    abort: new AbortController(),
    ...{ valid, held: valid, rejected: new Set(), asked: [], calls: [], results: [], wrong: [] },
  };
  world.client = openClient(world);
  return world;
}

function openClient(world: Provider): SellerClient {
  return new SellerClient({
    baseUrl: 'https://api.test',
    maxRetries: 0,
    timeoutMs: 30_000,
    accessToken: async ({ rejected }) => {
      // Two requests at once may both use the same refresh token.
      if (world.asked.length > 0) world.wrong.push('asked twice at once');
      if (rejected !== undefined && !world.rejected.has(rejected)) world.wrong.push(`${rejected} was not rejected`);
      const answer = Promise.withResolvers<string>();
      const asked = { rejected, answer };
      world.asked.push(asked);
      return answer.promise;
    },
    fetch: async (_, { headers }) => {
      const token = headers.authorization?.slice('Bearer '.length) ?? '';
      if (token === world.valid) return Response.json(wireQuestion);
      world.rejected.add(token);
      return Response.json({ message: 'invalid_token' }, { status: 401 });
    },
  });
}

function answerWith(world: Provider, settle: (answer: PromiseWithResolvers<string>) => void): Promise<unknown> {
  for (const { answer } of world.asked.splice(0)) settle(answer);
  return vi.advanceTimersByTimeAsync(0);
}

remembering<Provider>('SingleFlight, TokenSource', {
  create: providing,
  passesMs: [1, 1_000],
  steps: {
    use: {
      'a call begins': async (world) => {
        const call = world.client.questions.get({ question_id: 42 }, { signal: world.abort.signal });
        world.calls.push(call.then((each) => world.results.push(each), (error: unknown) => world.results.push(error))); // prettier-ignore
        await vi.advanceTimersByTimeAsync(0);
      },
      'the function answers': (world) => answerWith(world, ({ resolve }) => resolve(world.held)),
    },
    fail: {
      'the function fails': (world) => answerWith(world, ({ reject }) => reject(new Error('log in again'))),
      'the function hangs': async (world) => {
        await vi.advanceTimersByTimeAsync(30_001);
        world.asked.length = 0;
      },
    },
    close: async (world) => {
      world.abort.abort(new Error('enough'));
      world.abort = new AbortController();
      await vi.advanceTimersByTimeAsync(0);
      // What it was asked for is for the next call, too.
    },
    reopen: async (world) => {
      world.abort.abort(new Error('enough'));
      await answerWith(world, ({ reject }) => reject(new Error('away')));
      Object.assign(world, { abort: new AbortController(), client: openClient(world) });
    },
    'another holder': {
      'has the token replaced': (world) => void (world.valid = world.held = newToken()),
      'has a token that is not told yet': (world) => void (world.valid = newToken()),
      'tells it': (world) => void (world.held = world.valid),
    },
    'another seller': 'a client is of one seller',
  },
  always: ({ wrong }) => expect(wrong).toEqual([]),
  finally: async (world) => {
    world.held = world.valid;
    let isOver = false;
    void Promise.all(world.calls).then(() => (isOver = true));
    await advanceUntil(() => {
      for (const { answer } of world.asked.splice(0)) answer.resolve(world.held);
      return isOver;
    }, 25);
    const last = world.client.questions.get({ question_id: 42 });
    let answered = 0;
    let isDone = false;
    void last.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await advanceUntil(() => {
      for (const { answer } of world.asked.splice(0)) {
        answered += 1;
        answer.resolve(world.held);
      }
      return isDone;
    }, 25);
    // Whatever has failed before, the next call has a token that works.
    expect(await last).toMatchObject({ id: 42 });
    expect(answered).toBeLessThanOrEqual(2);
  },
});

const newFile = newFiles();

interface Grant {
  accessToken: string;
  refreshToken: string;
  isRevoked: boolean;
}

interface Process {
  store: TokenStore;
  sellers: Sellers;
  isClosed: boolean;
  /** The client of a seller, which outlives what made it. */
  clients: Map<number, SellerClient>;
}

interface Application {
  readonly path: string;
  /** What the service knows of each seller. */
  readonly grants: Map<number, Grant>;
  processes: Process[];
  fails: number;
  /** How many token sets the service has given out for others. */
  refreshes: number;
  /** Grants that were lost: a refresh token was used twice, or by a process that was closed. */
  readonly lost: string[];
  readonly revoked: number[];
  /** The refresh tokens that were used. */
  readonly used: Set<string | undefined>;
}

/** As long as the service lets a token live. */
const lifeMs = 6 * 3_600_000;

function grantOf(user_id: number): Grant {
  return { accessToken: `${user_id} ${newToken()}`.replace(' ', '-'), refreshToken: newToken(), isRevoked: false };
}

function open(world: Application): Process {
  const store = sqliteTokens(world.path);
  const process: Process = { store, isClosed: false, sellers: undefined as never, clients: new Map() };
  const client = new SellerClient({
    baseUrl: 'https://api.test',
    maxRetries: 0,
    fetch: (_, { headers }) => {
      const token = headers.authorization?.slice('Bearer '.length);
      const isKnown = [...world.grants.values()].some(
        ({ accessToken, isRevoked }) => accessToken === token && !isRevoked,
      );
      return Promise.resolve(isKnown ? Response.json(wireQuestion) : Response.json({}, { status: 401 }));
    },
  });
  process.sellers = createSellers({
    client,
    tokens: store,
    refresh: async ({ refreshToken }) => {
      if (process.isClosed) world.lost.push('refreshed after close()');
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (world.fails > 0) {
        world.fails -= 1;
        throw new Error('the token endpoint is away');
      }
      const found = [...world.grants].find(([, each]) => each.refreshToken === refreshToken);
      if (!found || found[1].isRevoked) {
        // One that a new authorisation has replaced was not used.
        if (world.used.has(refreshToken)) world.lost.push(`used twice: ${refreshToken}`);
        throw new GrantRevokedError('invalid_grant');
      }
      world.used.add(refreshToken);
      const next = grantOf(found[0]);
      world.grants.set(found[0], next);
      world.refreshes += 1;
      return { ...next, expiresAt: Date.now() + lifeMs };
    },
    onRevoked: ({ user_id }) => {
      if (world.grants.get(user_id)?.isRevoked !== true) world.lost.push(`told as revoked: ${user_id}`);
      world.revoked.push(user_id);
    },
  });
  return process;
}

async function authorize(world: Application, user_id: number, process: Process): Promise<void> {
  const grant = grantOf(user_id);
  world.grants.set(user_id, grant);
  const { accessToken, refreshToken } = grant;
  await process.sellers.add({ user_id, accessToken, refreshToken, expiresAt: Date.now() + lifeMs });
}

async function use(world: Application, process: Process | undefined, user_id: number): Promise<void> {
  if (!process) return;
  const isRevoked = world.grants.get(user_id)!.isRevoked;
  const hasFailing = world.fails > 0;
  const client = await process.sellers.for(user_id).catch(() => process.clients.get(user_id));
  if (!client) {
    expect(isRevoked || process.isClosed).toBe(true);
    return;
  }
  process.clients.set(user_id, client);
  const before = world.refreshes;
  const call = (): Promise<unknown> =>
    client.questions.get({ question_id: 42 }).then(
      () => 'done',
      (error: unknown) => error,
    );
  // The token that another process has stored may have ended as well: the next call knows.
  const first = await advanceUntilSettled(call());
  const result = first instanceof AuthenticationError ? await advanceUntilSettled(call()) : first;
  if (!isRevoked && !hasFailing && !process.isClosed) expect(result).toBe('done');
  // Of those who need it at once, one refreshes, and one in the background where the new token ends soon as well.
  expect(world.refreshes - before).toBeLessThanOrEqual(2);
  if (isRevoked) expect(result).not.toBe('done');
}

/** Stores of processes that were closed without them. */
const left: TokenStore[] = [];
afterAll(async () => {
  for (const store of left) await store.close?.();
});

async function close(process: Process | undefined, leavesStore = false): Promise<void> {
  if (!process || process.isClosed) return;
  await advanceUntilSettled(process.sellers.close());
  process.isClosed = true;
  // Some programs leave the store open.
  if (!leavesStore) await process.store.close?.();
  else left.push(process.store);
}

remembering<Application>('TokenRefresher, Seller, createSellers, SqliteTokens', {
  numRuns: 60,
  passesMs: [1, 60_000, lifeMs - 40_000, lifeMs],
  create: async () => {
    const path = newFile();
    const world: Application = {
      path,
      grants: new Map(),
      processes: [],
      fails: 0,
      refreshes: 0,
      lost: [],
      revoked: [],
      used: new Set(),
    };
    world.processes = [open(world), open(world)];
    for (const user_id of [7, 8]) await authorize(world, user_id, world.processes[0]!);
    return world;
  },
  steps: {
    use: (world) => use(world, world.processes[0], 7),
    fail: {
      'the token endpoint is away': (world) => void (world.fails = 1),
      'the service rejects the token': (world) => {
        const grant = world.grants.get(7)!;
        grant.accessToken = `${grant.accessToken}-ended`;
      },
      'the seller revokes': (world) => void (world.grants.get(7)!.isRevoked = true),
    },
    close: (world, choice) => close(world.processes[choice % 2], choice % 4 < 2),
    reopen: async (world, choice) => {
      await close(world.processes[choice % 2]);
      world.processes[choice % 2] = open(world);
    },
    'another holder': {
      uses: (world) => use(world, world.processes[1], 7),
      'both at once': async (world) => {
        await Promise.all([0, 1, 0].map((index) => use(world, world.processes[index], 7)));
      },
      'authorises again': async (world) => {
        const [process] = world.processes.filter(({ isClosed }) => !isClosed);
        if (process) await authorize(world, 7, process);
      },
    },
    'another seller': (world, choice) => use(world, world.processes[choice % 2], 8),
  },
  always: ({ lost }) => expect(lost).toEqual([]),
  finally: async (world) => {
    world.fails = 0;
    const last = open(world);
    for (const user_id of [7, 8]) await use(world, last, user_id);
    for (const process of [...world.processes, last]) await close(process);
    expect(world.lost).toEqual([]);
  },
});
