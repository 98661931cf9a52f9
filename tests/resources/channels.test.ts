import type { SellerClient, InvalidInputError } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { service } from '../support/service.ts';
import { errorOf } from '../support/stubs.ts';

// To whom a seller writes, and by which channel, as the conversation and the guide show it.

const place = { pack_id: 1, user_id: 7 };
const dated = (hours: object): object =>
  Object.fromEntries(Object.entries(hours).map(([name, hour]) => [name, `2026-03-02T0${hour}:00:00Z`]));
const message = (from: number, to: number, hours: object = {}) => ({
  id: `m${from} ${JSON.stringify(hours)}`,
  from: { user_id: from },
  to: { user_id: to },
  message_date: dated(hours),
  text: 'Hello',
});

const by = (from: number, hours: object = {}) => message(from, 7, hours);
test.each<[string, readonly object[], number]>([
  ['the sender of the only message', [by(9)], 9],
  ['that of the newest', [by(8, { created: 2 }), by(9, { created: 1 })], 8],
  ['that of the newest of three', [by(9, { created: 1 }), by(8, { created: 3 }), by(9, { created: 2 })], 8],
  ['the one created later', [by(8, { created: 2, received: 3 }), by(9, { created: 1, received: 4 })], 8],
  ['the one received later, if neither was created', [by(8, { received: 2 }), by(9, { received: 1 })], 8],
  ['the one created after the other was received', [by(8, { created: 3 }), by(9, { received: 2 })], 8],
  ['the one with a date', [by(8, { created: 1 }), by(9)], 8],
])('the counterpart is %s', async (_, messages, expected) => {
  for (const user_id of [7, '7'])
    for (const shown of [messages, messages.toReversed()]) {
      const { client } = service(() => ({ messages: shown, paging: { total: shown.length } }));
      const { counterpart, channel } = await client.messages.channel({ ...place, user_id });
      expect([counterpart?.user_id, channel]).toEqual([expected, 'conversation']);
    }
});

test.each([[{}], [{ created: 1 }]])('of two with the dates %j the first in the list counts', async (hours) => {
  const { client } = service(() => ({ messages: [message(8, 7, hours), message(9, 7, hours)], paging: { total: 2 } }));
  expect((await client.messages.channel(place)).counterpart?.user_id).toBe(8);
});

test.each(['7', 7])('a reply to an own message goes to nobody, if nobody is shown: seller %j', async (id) => {
  const { client } = service(() => ({ messages: [], paging: { total: 0 } }));
  const resources = [
    { id: '1', name: 'packs' },
    { id: String(id), name: 'sellers' },
  ];
  const own = { ...message(7, 9), message_date: null, message_resources: resources };
  const error = await errorOf<InvalidInputError>(client.messages.reply(own, 'Hello again'));
  const nobody = '`to` is missing, and the conversation shows nobody yet';
  expect(error.issues.map((each) => each.message)).toEqual([nobody]);
});

describe('what the first page of a conversation says of it holds', () => {
  const blocked = { conversation_status: { status: 'blocked', substatus: 'blocked_by_time' } };
  const messages = Array.from({ length: 15 }, (_, index) => ({
    ...message(index === 0 ? 9 : 7, index === 0 ? 7 : 9),
    id: `${index}`,
  }));
  test.each<[object, object, object]>([
    [blocked, {}, { reason: 'blocked_by_time' }],
    [blocked, { conversation_status: null }, { reason: 'blocked_by_time' }],
    [{ seller_max_message_length: 200 }, {}, { maxLength: 200 }],
    [{ seller_max_message_length: 200 }, { seller_max_message_length: null }, { maxLength: 200 }],
    [{ seller_max_message_length: 200 }, { seller_max_message_length: 100 }, { maxLength: 100 }],
  ])('%j, then %j: %j', async (first, later, expected) => {
    const { client } = service((_, { url }) => {
      const offset = Number(new URL(url).searchParams.get('offset'));
      const paging = { total: 15, limit: 10, offset };
      return { messages: messages.slice(offset, offset + 10), paging, ...(offset === 0 ? first : later) };
    });
    expect(await client.messages.channel(place).catch((error: unknown) => error)).toMatchObject(expected);
  });
});

describe('one deadline, that of the call before that of the client, holds for all calls of a method', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const ids = Array.from({ length: 21 }, (_, index) => `MLA${index}`);
  const bodyOf = (path: string, { method, url }: Request): unknown => {
    if (path.includes('action_guide')) return { options: [{ id: 'OTHER', enabled: true, cap_available: 1 }] };
    if (path === '/items')
      return (new URL(url).searchParams.get('ids') ?? '').split(',').map((id) => ({ id, status: 'active' }));
    if (method === 'POST') return { id: 'sent' };
    if (method === 'DELETE') return Response.json({ message: 'item is not in flex' }, { status: 400 });
    if (path.includes('MLA1')) return { has_flex: false };
    return path.includes('/packs/2/')
      ? { messages: [], paging: {} }
      : { messages: [message(9, 7)], paging: { total: 1, limit: 50 } };
  };
  const untold = { ...place, pack_id: 2 };

  test.each<[string, (client: SellerClient, options: { deadlineMs: number }) => PromiseLike<unknown>]>([
    ['contact', ({ messages }, options) => messages.contact({ ...place, text: 'Hi' }, options)],
    ['contact through an option', ({ messages }, options) => messages.contact({ ...untold, text: 'Hi' }, options)],
    ['channel', ({ messages }, options) => messages.channel(untold, options)],
    ['items.status', ({ items }, options) => items.status({ ids }, options)],
    [
      'flex.items.enable',
      ({ flex }, options) => flex.items.enable({ site_id: 'MLA', item_id: 'MLA1', requireActive: true }, options),
    ],
    [
      'flexV2.items.disable',
      ({ flexV2 }, options) => flexV2.items.disable({ site_id: 'MLA', item_id: 'MLA1', idempotent: true }, options),
    ],
  ])('%s', async (_, call) => {
    for (const [deadlineMs, isEnough] of [
      [15_000, true],
      [13_000, false],
    ] as const) {
      const slowly = async (path: string, request: Request): Promise<unknown> => {
        await new Promise((resolve) => setTimeout(resolve, 7000));
        return bodyOf(path, request);
      };
      const { client, paths } = service(slowly, { maxRetries: 0, deadlineMs: 100_000 });
      const ended = call(client, { deadlineMs }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect((await advanceUntilSettled(ended)) === undefined).toBe(isEnough);
      expect(paths.length).toBe(2);
    }
  });
});
