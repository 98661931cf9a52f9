import { createInbox, fastifyHandler, fetchHandler, secretPath, StoreFullError } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { silentLogger } from '../support/silent.ts';

// Whom an inbox lets in: known sellers, at the secret path, and no more of each than may wait.

const noted = (options: Partial<InboxOptions> = {}) => {
  const lines: string[] = [];
  const warn = (line: string): void => void lines.push(line);
  const inbox = createInbox({ handle: false, logger: { ...silentLogger, warn }, ...options });
  onTestFinished(() => inbox.close());
  return { inbox, lines };
};

describe('the secret path', () => {
  const path = secretPath();

  test('is another one each time, and has nothing that has to be escaped', () => {
    const paths = new Set(Array.from({ length: 100 }, secretPath));
    expect(paths.size).toBe(100);
    for (const each of paths) expect(each).toMatch(/^\/hooks\/[\w-]{32}$/);
  });

  test.each([
    [path, 200],
    [`${path}?a=1`, 200],
    [`${path}/`, 404],
    [`${path}x`, 404],
    [path.slice(0, -1), 404],
    [`${path.slice(0, -1)}!`, 404],
    [path.toUpperCase(), 404],
    ['/', 404],
    ['/notifications', 404],
    [`/other?path=${path}`, 404],
  ])('a delivery to %s gets %i', async (to, status) => {
    const { inbox } = noted({ path });
    const request = new Request(`https://app.test${to}`, { method: 'POST', body: JSON.stringify(about(1)) });
    request.headers.set('content-type', 'application/json');
    const response = await fetchHandler(inbox)(request);
    expect(response.status).toBe(status);
    expect(await inbox.stats()).toMatchObject({ waiting: status === 200 ? 1 : 0, dropped: 0 });
  });

  test('is asked for before anything else: nobody learns whether something else is wrong', async () => {
    const { inbox } = noted({ path });
    const response = await fetchHandler(inbox)(new Request('https://app.test/', { method: 'GET' }));
    expect([response.status, await response.text()]).toEqual([404, 'Not found']);
    expect((await inbox.receive({ method: 'POST', header: () => null, body: async () => about(1) })).status).toBe(404);
  });
});

// A text is no id: taken for one, it would let nobody in, and all that is acknowledged would be lost.
test.for<[string, unknown]>([
  ['texts', ['7']],
  ['a set of texts', new Set(['7'])],
  ['nothing', undefined],
  ['one id', 7],
  ['rows', [{ user_id: 7 }]],
])('while sellers() returns %s, nothing is accepted, and the log says why', async ([, returned]) => {
  const lines: string[] = [];
  const logger = { ...silentLogger, error: (line: string) => void lines.push(line) };
  const clientFor = () => new FakeMarketplace().clientFor({ user_id: 7 });
  const inbox = createInbox({ clientFor, logger, sellers: () => returned as number[], on: { questions: () => {} } });
  expect(await deliver(inbox, about(1, { user_id: 7 }))).toBe(503);
  expect(lines).toEqual([expect.stringContaining('`sellers` must return a list or a set of ids, which are numbers')]);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dropped: 0 });
  await expect(inbox.catchUp()).rejects.toThrow('`sellers` must return');
  await inbox.close();
});

describe('a user who is not one of the sellers', () => {
  const marketplace = new FakeMarketplace();
  const client = marketplace.clientFor(marketplace.addUser({ user_id: 7 }));
  test.each<[string, Partial<InboxOptions>]>([
    ['of a list', { sellers: [7, 8] }],
    ['of a set', { sellers: new Set([7, 8]) }],
    ['of a function', { sellers: () => [7, 8] }],
    ['of a function that takes time', { sellers: async () => new Set([7, 8]) }],
    ['for whom there is a client', { clientFor: (user_id) => (user_id < 9 ? client : undefined) }],
  ])('%s is acknowledged and counted, and nothing is stored', async (_, options) => {
    const { inbox, lines } = noted(options);
    for (let user_id = 100; user_id < 1_100; user_id += 1)
      expect(await deliver(inbox, about(1, { user_id }))).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1_000 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('100');
    expect(await deliver(inbox, about(1, { user_id: 7 }))).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 1, dropped: 1_000 });
  });

  test('may become one: a function is asked again about those whom it has not named', async () => {
    const known = [7];
    const sellers = vi.fn(() => known);
    const { inbox } = noted({ sellers });
    await deliver(inbox, about(1, { user_id: 8 }));
    known.push(8);
    for (let id = 2; id < 10; id += 1) await deliver(inbox, about(id, { user_id: 8 }));
    expect(await inbox.stats()).toMatchObject({ waiting: 8, dropped: 1 });
    expect(sellers).toHaveBeenCalledTimes(2);
  });

  test('is anybody whose client is known to be of another user', async () => {
    const { inbox } = noted({ clientFor: () => client });
    await deliver(inbox, about(1, { user_id: 8 }));
    await deliver(inbox, about(2, { user_id: 7 }));
    expect(await inbox.stats()).toMatchObject({ waiting: 1, dropped: 1 });
  });

  test.each<[string, () => never]>([
    ['fails', () => Promise.reject(new Error('away')) as never],
    ['is slow', () => new Promise(() => {}) as never],
  ])('while clientFor %s, everybody gets 503', async (_, clientFor) => {
    const { inbox } = noted({ clientFor });
    expect(await deliver(inbox, about(1))).toBe(503);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dropped: 0 });
  });
});

describe.for(storeKinds())('`maxWaiting`, with a store in $name', ({ create }) => {
  test('is per seller and topic: nobody pays for the flood of another', async () => {
    const { inbox } = noted({ store: create()(), maxWaiting: 3 });
    const flood = Array.from({ length: 10 }, (_, id) => deliver(inbox, about(id)));
    expect((await Promise.all(flood)).filter((status) => status === 200)).toHaveLength(3);
    expect(await deliver(inbox, about(1, { user_id: 8 }))).toBe(200);
    expect(await deliver(inbox, { user_id: 7, topic: 'messages', resource: '/messages/a', _id: 'm' })).toBe(200);
    await expect(inbox.add(about(99))).rejects.toBeInstanceOf(StoreFullError);
    // What is known is not one more.
    expect(await deliver(inbox, about(1, { user_id: 8 }))).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 5 });
  });

  test('never costs a topic that nobody here handles a 503', async () => {
    const { inbox } = noted({
      store: Object.assign(create()(), { durable: true }),
      maxWaiting: 2,
      handle: true,
      on: { questions: () => {} },
    });
    for (let id = 0; id < 5; id += 1)
      expect(await deliver(inbox, { user_id: 7, topic: 'items', resource: `/items/${id}`, _id: `i${id}` })).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 2, dropped: 3 });
  });
});

test('200 forged ids of a seller make no dead letters of questions, and ten true ones stay', async () => {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { user_id } = seller;
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  const client = marketplace.clientFor(seller);
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    retry: { maxRetries: 0 },
    on: {
      questions: async (_, { read }) => {
        await read();
        throw new Error('a person has to look');
      },
    },
  });
  onTestFinished(() => inbox.close());
  const asked = Array.from({ length: 10 }, (_, n) =>
    marketplace.ask({ from: marketplace.addUser(), item_id, text: `Is it ${n}?` }),
  );
  for (const { id } of asked) await inbox.add(about(id, { user_id }));
  for (let id = 0; id < 200; id += 1) await inbox.add(about(900_000_000 + id, { user_id }));
  await inbox.idle();
  const letters = await inbox.deadLetters.list();
  expect(letters.map(({ entry }) => entry.notification.question_id).toSorted()).toEqual(
    asked.map(({ id }) => id).toSorted(),
  );
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 10, dropped: 200 });
});

test('fastifyHandler sends its response itself, and returns the reply', async () => {
  const { inbox } = noted();
  const said: unknown[] = [];
  const reply: Parameters<ReturnType<typeof fastifyHandler>>[1] = {
    code: (status) => said.push(status),
    headers: (values) => said.push(Object.keys(values)),
    send: (body) => said.push(body),
  };
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: about(1) };
  expect(await fastifyHandler(inbox)(request, reply)).toBe(reply);
  expect(said).toEqual([200, ['content-type'], 'Accepted']);
});
