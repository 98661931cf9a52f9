import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import { EventStream, type Snapshot } from '../../src/testing/dashboard/snapshot.js';

type Json = Record<string, unknown>;

const controlToken = 'a-control-token-of-the-test';
const streams: ReadableStreamDefaultReader<string>[] = [];
let marketplace: FakeMarketplace;
let dashboard: Dashboard;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00.000Z' });
  marketplace.seed({
    users: [{ user_id: 7, nickname: 'SHOP' }, ...range(2000).map((n) => ({ user_id: 1000 + n, token: `token-${n}` }))],
    items: range(5000).map((n) => ({ item_id: `MLA${n}`, seller_id: 7, title: `Lamp ${n}` })),
    questions: range(1500).map((n) => ({ item_id: `MLA${n}`, from: 1001, text: `Is lamp ${n} new?` })),
    packs: range(300).map((n) => ({
      seller_id: 7,
      buyer_id: 1000 + n,
      messages: [{ from: 'buyer' as const, text: `Where is parcel ${n}?` }],
    })),
  });
  dashboard = new Dashboard(marketplace, { controlToken });
});
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.cancel();
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

async function control(path: string, method = 'GET', body?: unknown): Promise<Json> {
  const init = {
    method,
    headers: { 'x-fake-token': controlToken },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  };
  const response = await dashboard.fetch(new Request(`http://127.0.0.1/__fake/${path}`, init));
  return (await response.json()) as Json;
}

async function requested(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1)
    await (await dashboard.fetch(new Request(`http://127.0.0.1/currencies/${sent}`))).text();
}

/** Opens the event stream. `next` resolves with the size and the data of the next event. */
async function opened(): Promise<() => Promise<{ bytes: number; data: Json }>> {
  const response = await dashboard.fetch(new Request(`http://127.0.0.1/__fake/events?token=${controlToken}`));
  const stream = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  streams.push(stream);
  return async () => {
    const { value = '' } = await stream.read();
    return { bytes: value.length, data: JSON.parse(value.slice(value.indexOf('data: ') + 6)) as Json };
  };
}

describe('the dashboard of a large marketplace', () => {
  test('shows the newest 100 entries of each list, and how many there are', async () => {
    await requested(250);
    const state = await control('state');
    const lists = Object.entries(state).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
    expect(lists.filter(([, entries]) => entries.length > 100).map(([name]) => name)).toEqual([]);
    expect(state.counts).toMatchObject({
      users: 2001,
      items: 5000,
      questions: 1500,
      unanswered: 1500,
      conversations: 300,
      requests: 250,
    });
    expect((state.items as Json[])[0]).toMatchObject({ item_id: 'MLA5000' });
    expect((state.requests as Json[])[0]).toMatchObject({ path: '/currencies/249' });
    // A large seed does not hide the sellers, whose tokens a person looks for.
    expect((state.users as Json[])[0]).toMatchObject({ nickname: 'SHOP', sells: true });
  });

  test.each<[string, string, Json, string, Json]>([
    ['an item', 'items', { item_id: 'MLA4990', status: 'paused' }, 'items', { item_id: 'MLA4990', status: 'paused' }],
    ['a question', 'questions', { from: 1002, item_id: 'MLA1', text: 'Is it?' }, 'questions', { text: 'Is it?' }],
    ['an answer', 'answers', { question_id: 5_000_001_450, text: 'Yes.' }, 'questions', { status: 'ANSWERED' }],
    ['a token', 'tokens', { user_id: 7, token: 'mine' }, 'users', { tokens: [{}, { token: 'mine' }] }],
    ['a fault', 'faults', { status: 503 }, 'faults', { status: 503 }],
    ['a setting', 'settings', { capPerOption: 4 }, 'settings', {}],
  ])('sends only the entry that changed: %s', async (_, path, body, list, entry) => {
    const next = await opened();
    const state = await next();
    await control(path, 'POST', body);
    const change = await next();
    const sent = change.data[list];
    if (Array.isArray(sent)) expect(sent.filter((edit) => !Array.isArray(edit))).toMatchObject([entry]);
    else expect(sent).toMatchObject(entry);
    expect(change.bytes).toBeLessThan(1500);
    expect(state.bytes).toBeLessThan(120_000);
  });

  test('sends a request without its headers and bodies, which are read by its id', async () => {
    const next = await opened();
    await next();
    const request = new Request('http://127.0.0.1/questions', { method: 'POST', body: 'x'.repeat(50_000) });
    await (await dashboard.fetch(request)).text();
    expect((await next()).bytes).toBeLessThan(800);
    const { requests } = await control('requests?id=1');
    expect(requests).toMatchObject([{ id: 1, requestBody: 'x'.repeat(50_000) }]);
  });

  test('an open dashboard that follows the changes shows what a new one gets', async () => {
    const next = await opened();
    const shown = (await next()).data;
    const changes: Json[] = [];
    for (const status of ['paused', 'active', 'closed']) {
      await control('items', 'POST', { item_id: 'MLA4950', status });
      await control('questions', 'POST', { from: 1002, item_id: 'MLA2', text: `Is it ${status}?` });
      changes.push((await next()).data);
    }
    const applied = changes.reduce((before, change) => ({ ...before, ...merged(before, change) }), shown);
    expect(applied).toEqual(await control('state'));
  });

  test('so does one beside which others open and close', async () => {
    const next = [await opened(), await opened()];
    const shown = await Promise.all(next.map(async (each) => (await each()).data));
    await streams[1]!.cancel();
    await control('items', 'POST', { item_id: 'MLA4950', status: 'paused' });
    next[1] = await opened();
    shown[1] = (await next[1]()).data;
    marketplace.notifications.subscribe({ callback: () => new Response(), topics: ['items'] });
    const question = { item_id: 'MLA2', text: 'Is it new?' };
    const steps: [what: string, happen: () => unknown][] = [
      ['Is it new?', () => control('questions', 'POST', { from: 1002, ...question })],
      ['Is it used?', () => marketplace.ask({ from: { user_id: 1002 }, ...question, text: 'Is it used?' })],
      ['"outcome":200', () => marketplace.items.change('MLA3', { title: 'Lamp' })],
      ['"attempt":2', () => marketplace.notifications.deliver([marketplace.notifications.attempts[0]!.id])],
    ];
    for (const [what, happen] of steps) {
      await happen();
      for (const each of [0, 1])
        while (!JSON.stringify(shown[each]).includes(what))
          shown[each] = { ...shown[each], ...merged(shown[each]!, (await next[each]!()).data) };
    }
    const state = await control('state');
    expect(shown).toEqual([state, state]);
  });

  test('one that does not read is disconnected after some 1,000 changes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let now = 0;
    const events = new EventStream(() => ({ now: String((now += 1)) }) as Snapshot);
    const stream = events.stream().getReader();
    for (let change = 0; change < 2000; change += 1) {
      events.changed();
      vi.advanceTimersByTime(60);
    }
    for (let read = 0; read < 1100; read += 1) await stream.read();
    expect((await stream.read()).done).toBe(true);
  });

  test('searches all entries of a list', async () => {
    await requested(120);
    const found = await control('search?list=items&text=lamp%2017&limit=20');
    const matching = range(5000).filter((n) => String(n).includes('17'));
    expect([found.count, (found.entries as Json[]).length]).toEqual([matching.length, 20]);
    expect(await control('search?list=items&text=MLA1234%20lamp')).toMatchObject({
      count: 1,
      entries: [{ item_id: 'MLA1234', title: 'Lamp 1234' }],
    });
    expect(await control('search?list=users&text=shop')).toMatchObject({ count: 1, entries: [{ user_id: 7 }] });
    expect(await control('search?list=conversations&text=parcel%20299?')).toMatchObject({ count: 1 });
    expect(await control('search?list=requests&text=4xx%20currencies/3')).toMatchObject({ count: 11 });
    expect(await control('search?list=requests&text=%2317')).toMatchObject({ count: 1, entries: [{ id: 17 }] });
    expect(await control('search?list=items&text=title')).toEqual({ count: 0, entries: [] });
  });

  test.each([
    ['list=lamps', '`list` is one of users, items'],
    ['list=items&limit=0', '`limit` is an integer from 1 to 100'],
    ['list=items&limit=101', '`limit` is an integer from 1 to 100'],
    ['list=items&offset=1', 'offset'],
  ])('a search that is not valid is rejected: %s', async (query, message) => {
    expect(await control(`search?${query}`)).toMatchObject({ message: expect.stringContaining(message) as unknown });
  });
});

/** What a change makes of the fields that it names. */
function merged(before: Json, change: Json): Json {
  const lists = Object.entries(change).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const kept = before[name] as unknown[];
    const edits = value as readonly (readonly [number, number] | Json)[];
    return [name, edits.flatMap((edit) => (isKept(edit) ? kept.slice(edit[0], edit[0] + edit[1]) : [edit]))];
  });
  return Object.fromEntries(lists) as Json;
}

function isKept(edit: readonly [number, number] | Json): edit is readonly [number, number] {
  return Array.isArray(edit);
}
