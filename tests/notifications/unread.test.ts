import type { Message } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { MissingResources } from '../../src/notifications/handling/notification-task.js';
import type { NotificationClient } from '../../src/notifications/handling/read-notification.js';
import { ReadConversations, unreadMessages } from '../../src/notifications/handling/unread.js';
import { stoppedClocks } from '../support/fake-time.ts';

// What is read of a seller without a notification, when it is read again, and when no more.

stoppedClocks();
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);

describe('a resource that the service does not show', () => {
  const now = (): number => Date.now();
  test.each([
    [0, 5_000],
    [3_999, 1_001],
    [4_000, 16_000],
    [5_000, 15_000],
    [19_000, 41_000],
    [58_999, 1_001],
    [59_000, undefined],
    [minute, undefined],
  ])('%i ms after its notification is read again in %j ms', (ageMs, inMs) => {
    expect(new MissingResources().againInMs(7, now() - ageMs)).toBe(inMs);
  });

  test('is not read again while the last 20 of its seller did not exist', () => {
    const missing = new MissingResources();
    for (let count = 0; count < 19; count += 1) missing.wasMissing(7);
    expect(missing.againInMs(7, now())).toBe(5_000);
    missing.wasMissing(7);
    expect([missing.againInMs(7, now()), missing.againInMs(8, now())]).toEqual([undefined, 5_000]);
    missing.wasFound(7);
    expect(missing.againInMs(7, now())).toBe(5_000);
  });
});

describe('a conversation that was read', () => {
  const known = (readings: ReadConversations, count?: number, user_id = 7) => readings.found(user_id, '1', count);

  test.each<[string, number | undefined, number, number]>([
    ['as many as are counted', 2, 2, hour],
    ['more than are counted', 2, 3, hour],
    ['fewer than are counted', 2, 1, 0],
    ['and nothing is counted', undefined, 1, hour],
  ])('and has shown %s', (_, count, shown, firstMs) => {
    const readings = new ReadConversations();
    const add = (): void => readings.add(7, '1', count, { found: 1, shown });
    add();
    const quarters = firstMs === 0 ? [1, 2, 4, 8, 16, 32, 32] : [4, 8, 16, 32, 32];
    if (firstMs === 0) {
      expect(known(readings, count)).toBeUndefined();
      add();
    }
    for (const quarter of quarters) {
      pass(quarter * 15 * minute - 1);
      expect(known(readings, count)).toBe(1);
      pass(1);
      expect(known(readings, count)).toBeUndefined();
      add();
    }
  });

  test('is read again for another count, and then after the first delay', () => {
    const readings = new ReadConversations();
    readings.add(7, '1', 2, { found: 2, shown: 2 });
    expect([known(readings, 2), known(readings, 3), known(readings, 1), known(readings)]).toEqual([
      2,
      undefined,
      undefined,
      undefined,
    ]);
    pass(hour);
    readings.add(7, '1', 2, { found: 2, shown: 2 });
    readings.add(7, '1', 3, { found: 3, shown: 3 });
    pass(hour);
    expect(known(readings, 3)).toBeUndefined();
  });

  test('is forgotten once the list does not name it, for its seller', () => {
    const readings = new ReadConversations();
    for (const user_id of [7, 8]) readings.add(user_id, '1', 1, { found: 1, shown: 1 });
    readings.keep(7, ['1', '2']);
    expect([known(readings, 1), known(readings, 1, 8)]).toEqual([1, 1]);
    readings.keep(7, ['2']);
    expect([known(readings, 1), known(readings, 1, 8)]).toEqual([undefined, 1]);
  });
});

describe('the messages that a seller has not answered', () => {
  const at = (ageMs: number): string => new Date(Date.now() - ageMs).toISOString();
  const message = (id: string, user_id: number | string, ageMs: number, dates = ['created']): Message =>
    ({
      id,
      from: { user_id },
      message_date: Object.fromEntries(dates.map((name) => [name, at(ageMs)])),
    }) as unknown as Message;

  /** The ids that are found, and how many messages were read. */
  async function found(pages: Message[][], results: object[] = [{ pack_id: 1, count: 1 }]) {
    let read = 0;
    const conversation = () => ({
      pages: async function* () {
        for (const items of pages) {
          read += items.length;
          yield { items };
        }
      },
    });
    const messages = { unread: async () => ({ results }), conversation } as unknown as NotificationClient['messages'];
    const ids: string[] = [];
    for await (const each of unreadMessages({ messages } as NotificationClient, 7, new ReadConversations()))
      ids.push(...each.ids);
    return { ids, read };
  }

  test.each<[string, () => Message[], string[]]>([
    ['none', () => [], []],
    ['one', () => [message('a', 9, 1)], ['a']],
    ['two, the newest first', () => [message('b', 9, 1), message('a', 9, 2)], ['a', 'b']],
    ['two, the oldest first', () => [message('a', 9, 2), message('b', 9, 1)], ['a', 'b']],
    ['one of the seller', () => [message('a', 7, 1)], []],
    ['one of the seller, whose id is a text', () => [message('a', '7', 1)], []],
    ['one before the answer', () => [message('b', 7, 1), message('a', 9, 2)], []],
    ['one at the same moment as the answer', () => [message('b', 7, 1), message('a', 9, 1)], []],
    ['one after the answer', () => [message('b', 9, 1), message('a', 7, 2)], ['b']],
    ['one of the last moment of seven days', () => [message('a', 9, 7 * day - 1)], ['a']],
    ['one that is seven days old', () => [message('a', 9, 7 * day)], []],
    ['one without dates', () => [message('a', 9, 1, [])], []],
    ['one that was only received', () => [message('a', 9, 1, ['received'])], ['a']],
    ['one that is only available', () => [message('a', 9, 1, ['available'])], ['a']],
  ])('%s', async (_, messages, ids) => {
    expect((await found([messages()])).ids).toEqual(ids);
  });

  test('a message counts by when it was created', async () => {
    const old = { ...message('a', 9, 0), message_date: { created: at(8 * day), received: at(1), available: at(1) } };
    expect((await found([[old as unknown as Message]])).ids).toEqual([]);
  });

  test('a conversation without a pack is passed over, and the next one is read', async () => {
    const results = [{ count: 1 }, { pack_id: null, count: 1 }, { pack_id: 1, count: 1 }];
    expect((await found([[message('a', 9, 1)]], results)).ids).toEqual(['a']);
  });

  test.each([
    [1, 50],
    [4, 200],
    [5, 200],
  ])('of %i pages of 50, %i messages are read', async (pages, read) => {
    const page = (n: number) => Array.from({ length: 50 }, (_, index) => message(`${n}-${index}`, 9, 1));
    expect(await found(Array.from({ length: pages }, (_, n) => page(n)))).toMatchObject({ read });
  });

  test('nothing is read behind a page with a message of the seller', async () => {
    const pages = [[message('c', 9, 1)], [message('b', 9, 2), message('s', 7, 3)], [message('a', 9, 4)]];
    expect(await found(pages)).toEqual({ ids: ['b', 'c'], read: 3 });
  });
});
