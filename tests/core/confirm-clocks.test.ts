import type { Confirmation, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const token = 'APP_USR-500-000001-7';
const text = 'Sí: envíanos un correo a ventas@example.com, por favor';

/** What moderation makes of a text. */
const rewrites: Readonly<Record<string, (text: string) => string>> = {
  'as it was sent': (sent) => sent,
  trimmed: (sent) => ` ${sent}\n`,
  'with words masked': (sent) => sent.replace(/\S+@\S+/, '*****'),
  'masked as a whole': () => '*****',
  'not shown': () => '',
  'without accents': (sent) => sent.normalize('NFD').replace(/\p{M}/gu, ''),
  cut: (sent) => sent.slice(0, 12),
  replaced: () => 'Mensaje moderado',
};

/** A write that makes an entry in a list, and the list as the service shows it. */
interface Listed {
  readonly write: (client: SellerClient) => PromiseLike<unknown>;
  readonly list: (entries: readonly { readonly id: string; readonly text: string; readonly date: string }[]) => object;
}

const listed: Readonly<Record<string, Listed>> = {
  'messages.send': {
    write: (client) => client.messages.send({ pack_id: '900', user_id: 7, to: { user_id: 31 }, text }),
    list: (entries) => ({
      messages: entries.map(({ id, text, date }) => ({
        id,
        text,
        from: { user_id: 7 },
        message_date: { created: date },
      })),
      paging: { total: entries.length },
    }),
  },
  'questions.ask': {
    write: (client) => client.questions.ask({ item_id: 'MLA1', text }),
    list: (entries) => ({
      questions: entries.map(({ id, text, date }) => ({ id: Number(id), text, from: { id: 7 }, date_created: date })),
      total: entries.length,
    }),
  },
  'actionGuide.send': {
    write: (client) => client.actionGuide.send({ pack_id: '900', option_id: 'OTHER', text }),
    list: (entries) => listed['messages.send']!.list(entries),
  },
};

const clocks = fc.record({
  /** By how much the dates of entries are behind. */
  behindMs: fc.integer({ min: 0, max: 600_000 }),
  /** By how much the `Date` header is off; `undefined` without it. */
  headerMs: fc.option(fc.integer({ min: -600_000, max: 600_000 }), { nil: undefined }),
  /** How long the service takes to carry out the write. */
  takesMs: fc.integer({ min: 0, max: 3000 }),
  precision: fc.constantFrom('milliseconds', 'seconds', 'minutes'),
  zone: fc.constantFrom('Z', '-04:00', '+0200', ''),
  rewrite: fc.constantFrom(...Object.keys(rewrites)),
  /** Older entries of the author: how long before the write, and whether they are equal. */
  older: fc.array(fc.record({ beforeMs: fc.integer({ min: 1500, max: 7_200_000 }), isEqual: fc.boolean() }), {
    maxLength: 3,
  }),
});

type Clocks = typeof clocks extends fc.Arbitrary<infer T> ? T : never;

function written(ms: number, { behindMs, precision, zone }: Clocks): string {
  const offsetMs = { Z: 0, '': 0, '-04:00': -4, '+0200': 2 }[zone] * 3_600_000;
  const local = new Date(ms - behindMs + offsetMs).toISOString();
  return local.slice(0, { milliseconds: 23, seconds: 19, minutes: 16 }[precision]) + zone;
}

/** Loses the response of a write, and reads it back from a service with these clocks. */
async function confirmed({ write, list }: Listed, given: Clocks, isCarriedOut: boolean): Promise<Confirmation> {
  const sentAt = Date.now();
  const entries = given.older.map(({ beforeMs, isEqual }, n) => ({
    id: String(n + 1),
    text: isEqual ? text : 'Gracias por su compra',
    date: written(sentAt - beforeMs, given),
  }));
  const shown = { id: '99', text: rewrites[given.rewrite]!(text), date: written(sentAt + given.takesMs, given) };
  const service = ({ method }: Request): Response => {
    if (method !== 'GET') throw new TypeError('fetch failed');
    const headers = given.headerMs === undefined ? {} : { date: new Date(Date.now() + given.headerMs).toUTCString() };
    return Response.json(list(isCarriedOut ? [shown, ...entries] : entries), { headers });
  };
  const { sellerClient } = stubbed([service], { accessToken: token, maxRetries: 0 });
  const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(write(sellerClient)));
  return advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
}

describe.each(Object.keys(listed))('%s, read back with any clocks, dates and moderation', (name) => {
  test('is never denied if it was carried out', async () => {
    const never = async (given: Clocks): Promise<void> => {
      expect((await confirmed(listed[name]!, given, true)).done).not.toBe(false);
    };
    await fc.assert(fc.asyncProperty(clocks, never), { numRuns: 150 });
  });

  test('is never taken for carried out if it was not', async () => {
    const never = async (given: Clocks): Promise<void> => {
      expect((await confirmed(listed[name]!, given, false)).done).not.toBe(true);
    };
    await fc.assert(fc.asyncProperty(clocks, never), { numRuns: 150 });
  });

  test('is denied if all other entries are old enough', async () => {
    const denied = async (given: Clocks): Promise<void> => {
      const older = given.older.map((entry) => ({ isEqual: false, beforeMs: entry.beforeMs + 48 * 3_600_000 }));
      expect(await confirmed(listed[name]!, { ...given, older }, false)).toEqual({ done: false });
    };
    await fc.assert(fc.asyncProperty(clocks, denied), { numRuns: 50 });
  });

  const right: Clocks = {
    behindMs: 0,
    headerMs: 0,
    takesMs: 100,
    precision: 'milliseconds',
    zone: 'Z',
    rewrite: 'as it was sent',
    older: [],
  };
  const hour = 3_600_000;

  test.each([0.5, 1, 4, 20, 50, 24 * 30])(
    'is not denied if the dates of entries are %f hours behind',
    async (hours) => {
      for (const zone of ['Z', ''] as const)
        for (const precision of ['milliseconds', 'seconds'] as const)
          for (const headerMs of [0, undefined]) {
            const given = { ...right, behindMs: hours * hour, zone, precision, headerMs };
            expect((await confirmed(listed[name]!, given, true)).done).toBeUndefined();
          }
    },
  );

  test.each([0.5, 50])('is unknown if others have written the same %f hours before', async (hours) => {
    const older = [{ beforeMs: hours * hour, isEqual: true }];
    expect((await confirmed(listed[name]!, { ...right, older }, false)).done).toBeUndefined();
  });
});

describe.each([
  [
    'messages.send',
    (client: SellerClient) => client.messages.send({ pack_id: '900', user_id: 7, to: { user_id: 31 }, text }),
  ],
  ['questions.ask', (client: SellerClient) => client.questions.ask({ item_id: 'MLA1', text })],
] as const)('%s of the same text as another one of this process', (name, write) => {
  /** The first is answered and the response to the second is lost; entries have dates that are `behindMs` behind. */
  async function confirmedTwice(behindMs: number, isCarriedOut: boolean): Promise<Confirmation> {
    const entries: { id: string; text: string; date: string }[] = [];
    const add = (): string => {
      const id = String(entries.length + 1);
      entries.push({ id, text, date: new Date(Date.now() - behindMs).toISOString() });
      return id;
    };
    const service = ({ method }: Request): Response => {
      if (method === 'GET') return Response.json(listed[name]!.list(entries));
      if (entries.length === 0) return Response.json({ id: name === 'questions.ask' ? Number(add()) : add() });
      if (isCarriedOut) add();
      throw new TypeError('fetch failed');
    };
    const { sellerClient } = stubbed([service], { accessToken: token, maxRetries: 0 });
    await advanceUntilSettled(Promise.resolve(write(sellerClient)));
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(write(sellerClient)));
    return advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
  }

  test.each([0, 0.5, 1, 4, 20, 50])('is decided, also by dates that are %f hours behind', async (hours) => {
    expect((await confirmedTwice(hours * 3_600_000, true)).done).toBe(true);
    expect((await confirmedTwice(hours * 3_600_000, false)).done).toBe(false);
  });
});

describe('a message after another one of this process, by a clock that is ahead', () => {
  const given = fc.record({
    aheadMs: fc.integer({ min: 0, max: 3_600_000 }),
    /** Whether the service states its time. */
    isStated: fc.boolean(),
    /** How long before the lost write somebody else has written the same text. */
    beforeMs: fc.integer({ min: 1500, max: 60_000 }),
    /** How often the service rejects the other one with 429 before it takes it. */
    throttled: fc.integer({ min: 0, max: 2 }),
  });

  async function confirmedAfterAnother(
    { aheadMs, isStated, beforeMs, throttled }: typeof given extends fc.Arbitrary<infer T> ? T : never,
    isCarriedOut: boolean,
  ): Promise<Confirmation> {
    const messages: object[] = [];
    let rejections = 0;
    const add = (id: string, sent: string, ms = 0): object => {
      const created = new Date(Date.now() - aheadMs - ms).toISOString();
      const message = { id, text: sent, from: { user_id: 7 }, message_date: { created } };
      messages.push(message);
      return message;
    };
    const headers = (): Record<string, string> =>
      isStated ? { date: new Date(Date.now() - aheadMs).toUTCString() } : {};
    const service = ({ method }: Request): Response => {
      if (method === 'GET')
        return Response.json({ messages, paging: { total: messages.length } }, { headers: headers() });
      if ((rejections += 1) <= throttled) return new Response('', { status: 429, headers: { 'retry-after': '2' } });
      if (messages.length === 0) return Response.json(add('1', 'Gracias por su compra'), { headers: headers() });
      if (isCarriedOut) add('2', text);
      else add('3', text, beforeMs);
      throw new TypeError('fetch failed');
    };
    const { sellerClient } = stubbed([service], { accessToken: token, maxRetries: 3 });
    const send = (sent: string) =>
      sellerClient.messages.send({ pack_id: '900', user_id: 7, to: { user_id: 31 }, text: sent });
    await advanceUntilSettled(Promise.resolve(send('Gracias por su compra')));
    await vi.advanceTimersByTimeAsync(120_000);
    const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(send(text)));
    return advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
  }

  test('is found, because the other one shows how far it is ahead', async () => {
    const found = async (each: Parameters<typeof confirmedAfterAnother>[0]): Promise<void> => {
      expect((await confirmedAfterAnother(each, true)).done).toBe(true);
    };
    await fc.assert(fc.asyncProperty(given, found), { numRuns: 100 });
  });

  test.each([0, 1, 999])('is found if the other one was written %i ms after a whole second', async (ms) => {
    for (const aheadMs of [0, 1, 500, 2_931_495]) {
      vi.setSystemTime(Date.UTC(2026, 2, 2) + aheadMs + ms);
      expect(
        await confirmedAfterAnother({ aheadMs, isStated: true, beforeMs: 1500, throttled: 0 }, true),
      ).toMatchObject({
        done: true,
      });
    }
  });

  test('is not taken for carried out because of what somebody else has written', async () => {
    const never = async (each: Parameters<typeof confirmedAfterAnother>[0]): Promise<void> => {
      expect((await confirmedAfterAnother(each, false)).done).not.toBe(true);
    };
    await fc.assert(fc.asyncProperty(given, never), { numRuns: 100 });
  });
});
