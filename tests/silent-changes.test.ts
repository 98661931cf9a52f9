import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEndpoint, InvalidInputError } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { entriesOf, isLater } from '../tools/release.ts';
import { about, deliver } from './support/deliveries.ts';
import { running } from './support/serving.ts';
import { silentLogger } from './support/silent.ts';
import { errorOf, stubbed, wireQuestion } from './support/stubs.ts';

// What the changelog states of changes that no compiler finds is true of the code of today: each line has its test.

const root = join(import.meta.dirname, '..');
const later = entriesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).filter(
  ({ version }) => version === 'Unreleased' || isLater(version, '0.2.0'),
);
const lines = later.flatMap(({ text }) => {
  const [, section = ''] = /### Changes that compile\n([^]*?)\n### /.exec(text) ?? [];
  return section
    .split(/^- /m)
    .slice(1)
    .map((line) => line.trim());
});

const folder = mkdtempSync(join(tmpdir(), 'upgraded-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.useRealTimers());

function sale() {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const buyer = marketplace.addUser({ user_id: 31 });
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  for (const text of ['first', 'second']) marketplace.buyerWrites({ pack, text });
  return { marketplace, client: marketplace.clientFor(seller), buyer, pack };
}

const outboxOf = () => createOutbox({ store: memoryStore(), clientFor: () => undefined, logger: silentLogger });

/** By the beginning of a line, without its code marks: what shows that it is so. */
const shown: Readonly<Record<string, () => Promise<void>>> = {
  "the fake's messages.of(pack)": async () => {
    const { marketplace, pack } = sale();
    expect(marketplace.messages.of(pack).map(({ text }) => text)).toEqual(['first', 'second']);
  },
  'inbox.idle() and outbox.idle() wait': async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    let runs = 0;
    const fallback = (): void => {
      runs += 1;
      if (runs === 1) throw new Error('once');
    };
    const inbox = createInbox({ fallback, logger: silentLogger });
    await inbox.add({ ...about(1), topic: 'items', resource: '/items/MLA1' });
    await inbox.idle();
    expect([runs, (await inbox.stats()).waiting]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(5000);
    await inbox.idle();
    expect([runs, (await inbox.stats()).waiting]).toEqual([2, 0]);
    await inbox.close();
  },
  'a list whose offset is rejected': async () => {
    const questions = Array.from({ length: 50 }, (_, index) => ({ ...wireQuestion, id: index + 1 }));
    const rejected = Response.json({ error: 'bad_request', message: 'Invalid offset' }, { status: 400 });
    const { sellerClient } = stubbed([Response.json({ total: 2000, limit: 50, questions }), rejected]);
    const error = await errorOf(sellerClient.questions.search({ seller_id: 7 }).toArray());
    expect(error.delivered).toHaveLength(50);
  },
  'pack_id, and any other id': async () => {
    const { marketplace } = sale();
    const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31, pack_id: '12345678901234567890' });
    expect(pack.pack_id).toBe('12345678901234567890');
  },
  'a message sent to the fake': async () => {
    const { client, pack } = sale();
    const input = { pack_id: pack.pack_id!, user_id: 7, to: { user_id: 31 }, text: 'Hello' };
    expect((await client.messages.send(input).withResponse()).response.status).toBe(200);
  },
  'outbox.idle() starts to send': async () => {
    await expect(outboxOf().idle()).rejects.toThrow('call start() first');
  },
  'outbox.add() without start()': async () => {
    const job = { key: 'k', user_id: 7, contact: { pack_id: 1, user_id: 7, text: 'a' } };
    await expect(outboxOf().add(job)).rejects.toThrow('start()');
  },
  'the diagnostics channel': async () => {
    const texts = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, 'src', path), 'utf8'));
    expect(texts.filter((text) => /diagnostics_channel|env\.\w*DEBUG/.test(text))).toEqual([]);
  },
  'fake record, fake verify': async () => {
    for (const args of [
      ['fake', 'record'],
      ['fake', 'verify'],
      ['fake', 'seed-from'],
      ['fake', '--odd-tape'],
    ])
      expect(await running(...args).code).not.toBe(0);
  },
  'a file of 0.2.0 in sqliteStore': async () => {
    const path = join(folder, 'of-0.2.0.db');
    copyFileSync(join(root, 'tests/stored/0.2.0.db'), path);
    const inbox = createInbox({ store: sqliteStore(path), fallback: () => undefined, logger: silentLogger });
    await inbox.start();
    await inbox.idle();
    expect(await inbox.deadLetters.list()).toMatchObject([{ failure: 'Error: it failed' }]);
    await inbox.close();
  },
  'start() of an inbox or an outbox': async () => {
    const outbox = outboxOf();
    const started: unknown = outbox.start();
    expect(started).toBeInstanceOf(Promise);
    await started;
    await outbox.close();
  },
  'what is closed throws': async () => {
    const inbox = createInbox({ fallback: () => undefined });
    await inbox.close();
    const closed = await errorOf(inbox.add(about(1)));
    expect([closed.name, closed.isLasting]).toEqual(['ClosedError', false]);
  },
  'an inbox with clientFor stores': async () => {
    const inbox = createInbox({ clientFor: () => undefined, fallback: () => undefined, logger: silentLogger });
    expect(await deliver(inbox, about(1, { user_id: 8 }))).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dropped: 1 });
    await inbox.close();
  },
  'subscribe({ callback }) of the fake': async () => {
    const { marketplace, pack } = sale();
    const topics = new Set<string>();
    const fallback = ({ topic }: { topic: string }): void => void topics.add(topic);
    const on = { questions: fallback, messages: fallback };
    const inbox = createInbox({ on, fallback });
    marketplace.notifications.subscribe({ callback: fetchHandler(inbox) });
    marketplace.buyerWrites({ pack, text: 'third' });
    await marketplace.notifications.flush();
    await inbox.idle();
    expect([...topics]).toContain('messages');
    await inbox.close();
  },
  'an operation of yours in the fake': async () => {
    const endpoint = defineEndpoint({ name: 'visits.get', method: 'GET', path: '/visits' });
    const status = async (more: object): Promise<number> => {
      const fake = new FakeMarketplace({ operations: [{ endpoint, handle: () => ({}), ...more }] });
      return (await fake.fetch(`${fake.baseUrl}/visits`)).status;
    };
    expect([await status({}), await status({ public: true })]).toEqual([401, 200]);
  },
  'an id whose text is': async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    for (const message_id of ['undefined', 'null', 'NaN'])
      expect(await errorOf(sellerClient.messages.get({ message_id }))).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  },
};

describe('each change that compiles is so today', () => {
  test.each(lines)('%s', async (line) => {
    const plain = line.replaceAll('`', '');
    const check = Object.entries(shown).find(([begin]) => plain.startsWith(begin))?.[1];
    expect(check, 'a line without a test').toBeDefined();
    await check?.();
  });

  test('and nothing is shown that no line states', () => {
    const stated = lines.map((line) => line.replaceAll('`', ''));
    expect(Object.keys(shown).filter((begin) => !stated.some((line) => line.startsWith(begin)))).toEqual([]);
  });
});
