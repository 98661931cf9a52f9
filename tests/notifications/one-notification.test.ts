import { parseNotification } from 'marketplace-seller-sdk/inbox';
import { describe, expect, test } from 'vitest';
import { newEntry } from '../../src/notifications/notification.js';

// By which fields a notification is known, and known again.

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
