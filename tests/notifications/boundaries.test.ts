import { EarlierWriteUnknownError, OutcomeUnknownError, RateLimitError, SellerError } from 'marketplace-seller-sdk';
import type { Message } from 'marketplace-seller-sdk';
import { parseNotification } from 'marketplace-seller-sdk/inbox';
import { describe, expect, test, vi } from 'vitest';
import { MissingResources } from '../../src/notifications/handling/notification-task.js';
import { ReadConversations, unreadMessages } from '../../src/notifications/handling/unread.js';
import type { NotificationClient } from '../../src/notifications/handling/read-notification.js';
import { newEntry } from '../../src/notifications/notification.js';
import { EndsProcessError, verdictOf } from '../../src/work/policy.js';
import type { FailedRun } from '../../src/work/policy.js';
import type { RunNotes } from '../../src/work/store.js';
import { stoppedClocks } from '../support/fake-time.ts';

// What the inbox remembers and counts, at the last moment and at the next one, for two users, and the second time.

stoppedClocks();
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);

describe('what follows from a failed attempt', () => {
  const retry = { maxRetries: 2, firstDelayMs: 1_000, maxDelayMs: 10_000 };
  const failed = (failures: number, more: Partial<FailedRun> = {}): FailedRun => {
    return { failures, notes: {}, retry, leaseMs: 30_000, ...more };
  };
  const lasting = Object.assign(new Error('it cannot succeed'), { isLasting: true });
  const passing = new SellerError('down');

  test.each([
    [0, 'open'],
    [1, 'open'],
    [2, 'dead'],
    [3, 'dead'],
  ])('of two retries, after %i failures: %s', (failures, state) => {
    expect(verdictOf(passing, failed(failures))).toMatchObject({ state, failed: true });
  });

  test.each([
    [1, undefined, 1_000],
    [2, undefined, 2_000],
    [1, 999, 1_000],
    [1, 5_000, 5_000],
    [1, 10_001, 10_000],
  ])('after %i failures, with a Retry-After of %j ms, the next one is in %i ms', (failures, retryAfterMs, inMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const details = { status: 429, headers: new Headers(), body: undefined, causes: [], retryAfterMs };
    expect(verdictOf(new RateLimitError('many', details), failed(failures - 1))).toMatchObject({ state: 'open', inMs });
  });

  test.each<[string, Error[], string]>([
    ['one that lasts', [lasting], 'open'],
    ['two that last', [lasting, lasting], 'dead'],
    ['one that passes between two that last', [lasting, passing, lasting], 'open'],
    ['one that passes before one that lasts', [passing, lasting], 'open'],
  ])('%s', (_, errors, state) => {
    let notes: RunNotes = {};
    const states = errors.map((error, failures) => {
      const verdict = verdictOf(error, failed(failures, { notes, retry: { ...retry, maxRetries: 9 } }));
      notes = verdict.notes ?? {};
      return verdict.state;
    });
    expect(states.at(-1)).toBe(state);
  });

  test('an outcome that nothing shows is read back again after 2 s, 10 s and a lease plus 10 s, and is then dead', () => {
    let notes: RunNotes = {};
    const delays = [1, 2, 3, 4].map(() => {
      const verdict = verdictOf(new EarlierWriteUnknownError('nothing shows it'), failed(0, { notes }));
      notes = verdict.notes ?? {};
      return verdict.state === 'open' ? verdict.inMs : verdict.state;
    });
    expect(delays).toEqual([2_000, 10_000, 40_000, 'dead']);
  });

  test('an outcome that is not known is dead unless it was noted', () => {
    const lost = new OutcomeUnknownError('lost');
    const writes = [{ id: '1', target: 'questions.answer {}', input: {}, sentAt: 1, state: 'sent' as const }];
    expect(verdictOf(lost, failed(0)).state).toBe('dead');
    expect(verdictOf(lost, failed(0, { notes: { writes } })).state).toBe('open');
  });

  test('an error that ends its process is dead, and says what may have been carried out', () => {
    const writes = [{ id: '1', target: 'questions.answer {}', input: {}, sentAt: 1, state: 'sent' as const }];
    expect(verdictOf(new EndsProcessError('it ended'), failed(0, { notes: { writes } }))).toMatchObject({
      state: 'dead',
      failure: 'EndsProcessError: it ended (questions.answer may have been carried out)',
      notes: { writes },
    });
  });
});

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
    expect([known(readings, 2), known(readings, 3), known(readings, 1), known(readings)]).toEqual([2, undefined, undefined, undefined]); // prettier-ignore
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
    for await (const each of unreadMessages({ messages } as NotificationClient, 7, new ReadConversations())) ids.push(...each.ids); // prettier-ignore
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

describe('a notification', () => {
  const body = { user_id: 7, resource: '/questions/1', topic: 'questions' };

  test.each([
    [{ _id: 'a' }, 'a'],
    [{ id: 'b' }, 'b'],
    [{ _id: 'a', id: 'b' }, 'a'],
    [{ id: 'b', _id: 'a' }, 'a'],
    [{ _id: '', id: 'b' }, 'b'],
    [{ _id: null, id: 5 }, '5'],
  ])('with %j has the id %j', (ids, expected) => {
    expect(parseNotification({ ...body, ...ids }).id).toBe(expected);
  });

  const [early, late] = ['2026-03-02T12:00:00.000Z', '2026-03-02T12:00:01.000Z'];
  test.each([
    [{ received: early }, early],
    [{ recieved: early }, early],
    [{ received: early, recieved: late }, early],
    [{ sent: late, received: early }, late],
    [{ sent: 'soon', received: early }, early],
  ])('with %j counts as sent at %s', async (dates, expected) => {
    const entry = await newEntry(parseNotification({ ...body, ...dates }), 1);
    expect(entry.sentAt).toBe(Date.parse(expected));
  });

  test('without dates counts as sent when it arrived', async () => {
    expect((await newEntry(parseNotification(body), 1)).sentAt).toBe(1);
  });

  test.each<[string, object, object, boolean]>([
    ['the same id at another time', { _id: 'a', sent: early }, { _id: 'a', sent: late }, true],
    ['another id at the same time', { _id: 'a', sent: early }, { _id: 'b', sent: early }, false],
    ['the same time without an id', { sent: early, received: early }, { sent: early, received: late }, true],
    ['another time without an id', { sent: early, received: early }, { sent: late, received: early }, false],
    ['the same reception without more', { received: early }, { received: early }, true],
    ['another reception without more', { received: early }, { received: late }, false],
    ['no id and no time', {}, {}, false],
    ['another attempt', { _id: 'a', attempts: 1 }, { _id: 'a', attempts: 2 }, true],
  ])('%s', async (_, first, second, isSame) => {
    const [one, two] = await Promise.all(
      [first, second].map((more) => newEntry(parseNotification({ ...body, ...more }), 1)),
    );
    expect(one!.key === two!.key).toBe(isSame);
  });
});
