import { NoChannelError } from 'marketplace-seller-sdk';
import type { Confirmation, SellerClient, SetDeliveryParams } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { service } from '../support/service.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

// The mappings of the resources at their boundaries: none, one and two of a thing, the first and the last, ids as numbers and
// as texts. What fails here is read right once, and wrong the second time.

const json = (body: unknown): Response => Response.json(body);

describe('a message in the legacy shape', () => {
  const legacy = { message_id: 'm1', from: { user_id: 7 }, text: 'Hello' };
  const at = (hour: number): string => `2026-03-02T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const dates = { date: at(1), date_received: at(2), date_available: at(3), date_notified: at(4), date_read: at(5) };

  test('has each of its dates in the field of that date', async () => {
    const { sellerClient } = stubbed([json({ ...legacy, ...dates })]);
    const { message_date } = await sellerClient.messages.get({ message_id: 'm1' });
    expect(message_date).toEqual({ created: at(1), received: at(2), available: at(3), notified: at(4), read: at(5) });
  });

  test.each(Object.keys(dates))('without %s has the others', async (missing) => {
    const some = Object.fromEntries(Object.entries(dates).filter(([name]) => name !== missing));
    const { sellerClient } = stubbed([json({ ...legacy, ...some })]);
    const { message_date } = await sellerClient.messages.get({ message_id: 'm1' });
    const shown = Object.values(message_date ?? {}).filter((each) => each !== null);
    expect(shown.toSorted()).toEqual(Object.values(some).toSorted());
  });

  test.each([
    [[], undefined, undefined],
    [[{ user_id: 1 }], 1, undefined],
    [[{ user_id: 1 }, { user_id: 2 }], 1, [1, 2]],
    [[{ user_id: 1 }, { user_id: 2 }, { user_id: 3 }], 1, [1, 2, 3]],
  ])('to %j is to the first of them', async (to, first, all) => {
    const { sellerClient } = stubbed([json({ ...legacy, to })]);
    const message = await sellerClient.messages.get({ message_id: 'm1' });
    expect(message.to?.user_id).toBe(first);
    expect(message.recipients?.map(({ user_id }) => user_id)).toEqual(all ?? (message.recipients && []));
  });

  test.each([['packs'], ['orders'], ['sellers']])('names its resource: %s', async (resource) => {
    const { sellerClient } = stubbed([json({ ...legacy, resource, resource_id: 2_000_000_001 })]);
    const { message_resources } = await sellerClient.messages.get({ message_id: 'm1' });
    expect(message_resources).toEqual([{ id: '2000000001', name: resource }]);
  });
});

describe('a message that is asked for', () => {
  const entry = (id: string, text: string): object => ({ id, from: { user_id: 7 }, text });
  test.each([
    ['alone', (all: object[]) => all[1]],
    ['in a list of one', (all: object[]) => [all[1]]],
    ['the first of a list', (all: object[]) => [all[1], all[0]]],
    ['the last of a list', (all: object[]) => all.slice(0, 2)],
    ['between two others', (all: object[]) => all],
    ['the last of a list whose first has no id', (all: object[]) => [{ from: { user_id: 7 }, text: 'None' }, all[1]]],
    ['the only one that has a text, and no id', () => [{ from: { user_id: 7 }, text: 'Two' }]],
    ['in `messages`', (all: object[]) => ({ messages: all })],
    ['in `results`', (all: object[]) => ({ results: all })],
    ['in `message`', (all: object[]) => ({ message: all[1] })],
  ])('is found %s', async (_, bodyOf) => {
    const all = [entry('a', 'One'), entry('b', 'Two'), entry('c', 'Three')];
    const { sellerClient } = stubbed([json(bodyOf(all))]);
    expect((await sellerClient.messages.get({ message_id: 'b' })).text).toBe('Two');
  });
});

describe('the counterpart of a seller', () => {
  const message = (id: string, from: number, to: number, hour: number) => ({
    id,
    from: { user_id: from },
    to: { user_id: to },
    message_date: { created: `2026-03-02T0${hour}:00:00.000Z` },
    text: 'Hello',
  });
  test.each([
    ['the sender of the only message', [message('a', 9, 7, 1)], 9],
    ['the receiver, if the seller wrote it', [message('a', 7, 9, 1)], 9],
    ['that of the newest, first in the list', [message('a', 8, 7, 2), message('b', 9, 7, 1)], 8],
    ['that of the newest, last in the list', [message('a', 9, 7, 1), message('b', 8, 7, 2)], 8],
    ['that of the newest, between two', [message('a', 9, 7, 1), message('b', 8, 7, 3), message('c', 9, 7, 2)], 8],
    ['that of the first, if two have the same time', [message('a', 8, 7, 1), message('b', 9, 7, 1)], 8],
  ])('is %s', async (_, messages, user_id) => {
    for (const seller of [7, '7']) {
      const { client } = service(() => ({ messages, paging: { total: messages.length } }));
      const { counterpart, channel } = await client.messages.channel({ pack_id: 1, user_id: seller }).catch(() => ({
        counterpart: { user_id },
        channel: 'option' as const,
      }));
      expect(counterpart?.user_id).toBe(user_id);
      const isByBuyer = messages.some(({ from }) => from.user_id !== 7);
      if (isByBuyer) expect(channel).toBe('conversation');
    }
  });
});

test.each<[string, object, object, number]>([
  ['created later', { created: 2, received: 3 }, { created: 1, received: 4 }, 8],
  ['received later, if neither says when it was created', { received: 2 }, { received: 1 }, 8],
  ['created after the other was received', { created: 3 }, { received: 2 }, 8],
  ['with a date, if the other has none', { created: 1 }, {}, 8],
  ['that comes first, if neither has a date', {}, {}, 8],
])('the counterpart is that of the message %s', async (_, newer, older, user_id) => {
  const dated = (hours: object): object =>
    Object.fromEntries(Object.entries(hours).map(([name, hour]) => [name, `2026-03-02T0${hour}:00:00Z`]));
  const message = (from: number, hours: object): object => ({
    id: `m${from}`,
    from: { user_id: from },
    to: { user_id: 7 },
    message_date: dated(hours),
  });
  const isUndated = Object.keys(newer).length === 0;
  const both = [message(8, newer), message(9, older)];
  for (const messages of isUndated ? [both] : [both, both.toReversed()]) {
    const { client } = service(() => ({ messages, paging: { total: 2 } }));
    const { counterpart } = await client.messages.channel({ pack_id: 1, user_id: 7 });
    expect(counterpart?.user_id).toBe(user_id);
  }
});

describe('the channel to a buyer who has not written', () => {
  const other = { id: 'OTHER', enabled: true, actionable: true, cap_available: 1, char_limit: 350 };
  const channelOf = (options: readonly object[]): ReturnType<SellerClient['messages']['channel']> => {
    const { client } = service((path) => (path.includes('action_guide') ? { options } : { messages: [], paging: {} }));
    return client.messages.channel({ pack_id: 1, user_id: 7 });
  };
  const request = { id: 'REQUEST_VARIANTS', enabled: true, cap_available: 1 };

  test.each([
    ['alone', [other]],
    ['first', [other, request]],
    ['last', [request, other]],
  ])('is the option OTHER, %s in the list', async (_, options) => {
    expect(await channelOf(options)).toMatchObject({ channel: 'option', maxLength: 350, maxAttachments: 0 });
  });

  test.each<[string, object[], string]>([
    ['none', [], 'option_not_offered'],
    ['only another one', [request], 'option_not_offered'],
    ['one that is not enabled', [{ ...other, enabled: false }], 'option_not_offered'],
    ['one that is not actionable', [{ ...other, actionable: false }], 'option_not_offered'],
    ['one without a cap', [{ ...other, cap_available: 0 }], 'cap_exhausted'],
  ])('is closed if the guide offers %s', async (_, options, reason) => {
    const error = await errorOf<NoChannelError>(channelOf(options));
    expect(error).toBeInstanceOf(NoChannelError);
    expect(error.reason).toBe(reason);
  });

  test.each([1, 2, undefined])('is open with a cap of %s', async (cap_available) => {
    expect((await channelOf([{ ...other, cap_available }])).channel).toBe('option');
  });
});

describe('the status of items', () => {
  test.each([
    [1, [1]],
    [2, [2]],
    [19, [19]],
    [20, [20]],
    [21, [20, 1]],
    [40, [20, 20]],
    [41, [20, 20, 1]],
  ])('of %i items is read in requests of %j', async (count, sizes) => {
    const ids = Array.from({ length: count }, (_, index) => `MLA${index}`);
    const asked: number[] = [];
    const { client } = service((_, { url }) => {
      const some = (new URL(url).searchParams.get('ids') ?? '').split(',');
      asked.push(some.length);
      return some.map((id) => ({ code: 200, body: { id, status: id === 'MLA1' ? 'paused' : 'active' } })).toReversed();
    });
    const found = await client.items.status({ ids });
    expect(asked).toEqual(sizes);
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found[1]?.status).toBe(count > 1 ? 'paused' : undefined);
  });
});

describe('reading back what Flex delivers', () => {
  const place = { site_id: 'MLA', user_id: 7, service_id: 3 };
  const range = (from: number, to: number, capacity: number, cutoff: number) => ({ from, to, capacity, cutoff });
  const shown = ({ cutoff, ...rest }: ReturnType<typeof range>): object => ({ ...rest, calculated_cutoff: cutoff });
  const [early, late] = [range(0, 12, 1, 0), range(12, 24, 50, 24)];
  const confirm = (
    configuration: object,
    input: Omit<SetDeliveryParams, keyof typeof place>,
  ): Promise<Confirmation> => {
    const { client } = service(() => ({
      configuration: { subscription: { user_id: 7, service_id: 3 }, ...configuration },
    }));
    return client.confirm(
      endpoints.flex.setDelivery,
      { ...place, ...input },
      { sentAt: Date.now(), confirmWindowMs: 0 },
    );
  };
  const week = (...ranges: (typeof early)[]) => ({ delivery_ranges: { week: ranges } });
  const weekShown = (...ranges: object[]) => ({ delivery_ranges: { week: ranges } });

  test.each([
    ['one range', weekShown(shown(early)), week(early), true],
    ['two ranges', weekShown(shown(early), shown(late)), week(early, late), true],
    ['an extra range', weekShown(shown(early), shown(late)), week(early), false],
    ['a missing range', weekShown(shown(early)), week(early, late), false],
    ['a second range with another end', weekShown(shown(early), { ...shown(late), to: 23 }), week(early, late), false],
    [
      'a second range with another begin',
      weekShown(shown(early), { ...shown(late), from: 13 }),
      week(early, late),
      false,
    ],
    ['another capacity', weekShown({ ...shown(early), capacity: 2 }), week(early), false],
    ['the hour 24', weekShown(shown(late)), week(late), true],
    ['no range, shown as null', { delivery_ranges: { week: null } }, week(), true],
    ['no range, shown as none', weekShown(), week(), true],
    ['no range, and one is shown', weekShown(shown(early)), week(), false],
    ['a cut-off of its own', weekShown({ ...shown(early), calculated_cutoff: 5 }), week(early), undefined],
    ['a day that is not shown', { delivery_ranges: {} }, week(early), undefined],
    ['a capacity that is not shown', weekShown({ ...shown(early), capacity: null }), week(early), undefined],
  ])('%s', async (_, configuration, input, done) => {
    expect((await confirm(configuration, input)).done).toBe(done);
  });

  test.each(['week', 'saturday', 'sunday'] as const)(
    'the ranges of %s are compared with those of that day',
    async (day) => {
      const days = { week: [], saturday: [], sunday: [] };
      const set = { delivery_ranges: { [day]: [early] } };
      expect((await confirm({ delivery_ranges: { ...days, [day]: [shown(early)] } }, set)).done).toBe(true);
      const others = { week: [shown(early)], saturday: [shown(early)], sunday: [shown(early)], [day]: [] };
      expect((await confirm({ delivery_ranges: others }, set)).done).toBe(false);
    },
  );

  test.each([
    ['one that is selected', [{ id: 'a', selected: true }], ['a'], true],
    [
      'two that are selected',
      [
        { id: 'a', selected: true },
        { id: 'b', selected: true },
      ],
      ['a', 'b'],
      true,
    ],
    [
      'the last of two that is not',
      [
        { id: 'a', selected: true },
        { id: 'b', selected: false },
      ],
      ['a', 'b'],
      false,
    ],
    [
      'the first of two that is not',
      [
        { id: 'a', selected: false },
        { id: 'b', selected: true },
      ],
      ['a', 'b'],
      false,
    ],
    ['one that is missing', [{ id: 'a', selected: true }], ['a', 'b'], false],
    ['one with a number as its id', [{ id: 12, selected: true }], [12], true],
    ['a text for a number', [{ id: 12, selected: true }], ['12'], true],
    ['one that does not say', [{ id: 'a' }], ['a'], undefined],
    ['none', [], ['a'], false],
  ] as const)('zones: %s', async (_, zones, added, done) => {
    const { client } = service(() => ({ configuration: { subscription: { user_id: 7, service_id: 3 }, zones } }));
    const input = { ...place, zones: added.map((id) => ({ id })) };
    expect(
      (await client.confirm(endpoints.flex.addZones, input, { sentAt: Date.now(), confirmWindowMs: 0 })).done,
    ).toBe(done);
  });
});

describe('reading back a message', () => {
  const sentAt = Date.parse('2026-03-02T12:00:00Z');
  const date = (minutes: number) => ({ created: new Date(sentAt + minutes * 60_000).toISOString() });
  const entry = (id: string, user_id: number | string, text: string, minutes: number): object => ({
    id,
    from: { user_id },
    to: { user_id: 9 },
    text,
    message_date: date(minutes),
  });
  const confirm = (messages: object[], user_id: number | string): Promise<Confirmation> => {
    const { client } = service(() => ({ messages, paging: { total: messages.length, limit: 50 } }));
    const input = { pack_id: 1, user_id, to: { user_id: 9 }, text: 'Thank you' };
    return client.confirm(endpoints.messages.send, input, { sentAt, confirmWindowMs: 0 });
  };

  test.each([
    ['no message', [], false],
    ['its own', [entry('a', 7, 'Thank you', 1)], true],
    ['another text', [entry('a', 7, 'Hello', -60)], false],
    ['the same text by the buyer', [entry('a', 9, 'Thank you', 1)], false],
    ['the same text an hour before', [entry('a', 7, 'Thank you', -60)], undefined],
    ['its own, the first of two', [entry('b', 7, 'Thank you', 1), entry('a', 9, 'Hello', -60)], true],
    ['its own, the last of two', [entry('a', 9, 'Hello', -60), entry('b', 7, 'Thank you', 1)], true],
  ])('%s', async (_, messages, done) => {
    for (const user_id of [7, '7']) expect((await confirm(messages, user_id)).done).toBe(done);
  });
});
