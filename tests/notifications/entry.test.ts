import { parseNotification } from 'marketplace-seller-sdk/inbox';
import type { InboxEntry } from 'marketplace-seller-sdk/inbox';
import { expect, test } from 'vitest';
import { newEntry } from '../../src/notifications/notification.js';
import { about } from '../support/deliveries.ts';

/** The entry of a delivery. */
function entryOf(body: object): Promise<InboxEntry> {
  return newEntry(parseNotification(body), Date.now());
}

const ten = Date.parse('2026-11-20T10:00:00.123Z');

test.each([
  ['2026-11-20T10:00:00.123Z', ten],
  ['2026-11-20T10:00:00.123456789Z', ten],
  ['2026-11-20T06:00:00.123-04:00', ten],
  ['2026-11-20T06:00:00.123-0400', ten],
  ['2026-11-20T10:00:00.123', ten],
  ['2026-11-20T10:00:00Z', ten - 123],
  ['2026-11-20', Date.parse('2026-11-20')],
])('the time %s is read the same in every zone of this machine', async (sent, ms) => {
  expect((await entryOf(about(1, { sent }))).sentAt).toBe(ms);
});

test('a missing time is replaced by the time received or the time of arrival', async () => {
  const received = '2026-11-20T10:00:00.123Z';
  expect((await entryOf(about(1, { sent: 'yesterday', received }))).sentAt).toBe(ten);
  const now = Date.now();
  expect((await entryOf(about(1, { sent: undefined, received: undefined }))).sentAt).toBeGreaterThanOrEqual(now);
});

test('there is one short group id per user and resource, however it is spelled', async () => {
  const [plain, bare, other] = await Promise.all([
    entryOf(about(1, { resource: '/questions/1' })),
    entryOf(about(1, { resource: 'questions/1' })),
    entryOf(about(1, { user_id: 8 })),
  ]);
  for (const resource of ['1', '/questions/001', '/questions/1/']) {
    expect(await entryOf(about(1, { resource }))).toMatchObject({ groupId: plain.groupId, key: plain.key });
  }
  expect(bare.groupId).toBe(plain.groupId);
  expect(bare.key).toBe(plain.key);
  expect(other.groupId).not.toBe(plain.groupId);
  const long = await entryOf(about(1, { topic: 'orders_v2', resource: `/orders/${'9'.repeat(5_000)}` }));
  expect(long.groupId).toMatch(/^[0-9a-f]{32}$/);
});

test('only the resource identifies a notification whose topic is unknown, whatever else it has', async () => {
  const order = { _id: 'event', topic: 'orders_v2', resource: '/orders/9' };
  const real = await entryOf(about(1, order));
  for (const question_id of [5, 'orders/9', { toString: 1 }]) {
    expect(await entryOf(about(1, { ...order, question_id }))).toMatchObject({ key: real.key, groupId: real.groupId });
    const forged = await entryOf(about(1, { ...order, resource: '/forged', question_id }));
    expect(forged.key).not.toBe(real.key);
    expect(forged.groupId).not.toBe(real.groupId);
    expect(forged.notification).not.toHaveProperty('question_id');
  }
});

test('the key of a notification without id and sent time is its received time', async () => {
  const bare = { _id: undefined, sent: undefined };
  const [one, other] = await Promise.all([
    entryOf(about(1, bare)),
    entryOf(about(1, { ...bare, received: '2026-11-20T11:00:00.000Z' })),
  ]);
  expect(one.key).not.toBe(other.key);
});
