import type { Confirmation, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

// An entry proves a write only if, by one clock that is known, it was made between the sending and the reading. So whatever the clocks, the
// dates of the list, its history and moderation are: what was not carried out is never taken for done, nor what was for not done.

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const text = 'Sí: envíanos un correo a ventas@example.com, por favor';
const thanks = 'Gracias por su compra';

/** An entry as the service made it: the true time, its text, and its name. */
interface Made {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

interface Kind {
  readonly write: (client: SellerClient, text: string) => PromiseLike<unknown>;
  readonly made: (entry: Made, date: string) => object;
  readonly list: (entries: readonly object[]) => object;
}

const message = ({ id, text: shown }: Made, created: string): object => {
  return { id, text: shown, from: { user_id: 7 }, message_date: { created } };
};
const messages = (entries: readonly object[]): object => ({ messages: entries, paging: { total: entries.length } });

const kinds: Readonly<Record<string, Kind>> = {
  'messages.send': {
    write: (client, sent) => client.messages.send({ pack_id: '900', user_id: 7, to: { user_id: 31 }, text: sent }),
    made: message,
    list: messages,
  },
  'actionGuide.send': {
    write: (client, sent) => client.actionGuide.send({ pack_id: '900', option_id: 'OTHER', text: sent }),
    made: message,
    list: messages,
  },
  'questions.ask': {
    write: (client, sent) => client.questions.ask({ item_id: 'MLA1', text: sent }),
    made: ({ id, text: shown }, date) => ({ id: Number(id), text: shown, from: { id: 7 }, date_created: date }),
    list: (questions) => ({ questions, total: questions.length }),
  },
};

interface World {
  /** How far this machine and the `Date` header are from the true time; no header: `undefined`. */
  readonly machine: number;
  readonly header: number | undefined;
  /** Whether earlier responses have shown it. */
  readonly learns?: boolean | undefined;
  /** How the list writes a true time. */
  readonly date: (at: number) => string;
  /** What others have written before, and what this client has sent two minutes ago. */
  readonly others: readonly (readonly [beforeMs: number, text: string])[];
  readonly own?: string | undefined;
  /** How often the service rejects that with a 429. */
  readonly throttled?: number;
  /** How long the service takes, and what moderation makes of the text. */
  readonly takesMs?: number;
  readonly shown?: string;
}

/** Loses the response of a write, and reads it back. The true time is that of the fake clock without the fault of the machine. */
async function confirmed({ write, made, list }: Kind, world: World, isCarriedOut: boolean): Promise<Confirmation> {
  const { machine, header, others, own, date, takesMs = 20, shown = text } = world;
  const truth = (): number => Date.now() - machine;
  vi.setSystemTime(Date.UTC(2026, 2, 3, 12, 0, 0, 250) + machine);
  let entries: Made[] = [];
  const headers = (): HeadersInit => (header === undefined ? {} : { date: new Date(truth() + header).toUTCString() });
  let isLost = false;
  let rejections = world.throttled ?? 0;
  const service = ({ method, url }: Request): Response => {
    if (url.includes('/currencies')) return Response.json([{ id: 'ARS' }], { headers: headers() });
    const shownEntries = entries.map((entry) => made(entry, date(entry.at)));
    if (method === 'GET') return Response.json(list(shownEntries), { headers: headers() });
    if (!isLost && (rejections -= 1) >= 0) return new Response('', { status: 429, headers: { 'retry-after': '2' } });
    const entry = { id: String(entries.length + 1), text: isLost ? shown : own!, at: truth() + takesMs };
    if (!isLost || isCarriedOut) entries.push(entry);
    if (isLost) throw new TypeError('fetch failed');
    return Response.json(made(entry, date(entry.at)), { headers: headers() });
  };
  const { sellerClient } = stubbed([service], { accessToken: 'APP_USR-500-000001-7', maxRetries: 3 });
  for (let n = world.learns ? 6 : 0; n > 0; n -= 1)
    await advanceUntilSettled(Promise.resolve(sellerClient.currencies.list()));
  if (own !== undefined) {
    await advanceUntilSettled(Promise.resolve(write(sellerClient, own)));
    await vi.advanceTimersByTimeAsync(2 * minute);
  }
  const before = others.map(([beforeMs, said], n) => ({ id: String(50 + n), text: said, at: truth() - beforeMs }));
  entries = [...before, ...entries];
  isLost = true;
  const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(write(sellerClient, text)));
  await vi.advanceTimersByTimeAsync(50);
  return advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const clocks: Readonly<Record<string, Pick<World, 'machine' | 'header' | 'learns'>>> = {
  right: { machine: 0, header: 0 },
  'right, without a Date': { machine: 0, header: undefined },
  'a Date a second behind': { machine: 0, header: -second },
  'a Date an hour behind': { machine: 0, header: -hour },
  'a Date an hour behind, also in earlier responses': { machine: 0, header: -hour, learns: true },
  'a Date an hour ahead': { machine: 0, header: hour },
  'this machine ten minutes behind': { machine: -10 * minute, header: 0 },
  'this machine ten minutes behind, as earlier responses show': { machine: -10 * minute, header: 0, learns: true },
  'this machine an hour behind': { machine: -hour, header: 0 },
  'this machine an hour behind, without a Date': { machine: -hour, header: undefined },
  'this machine ten minutes ahead': { machine: 10 * minute, header: 0 },
  'this machine an hour ahead, as earlier responses show': { machine: hour, header: 0, learns: true },
  'this machine an hour ahead, without a Date': { machine: hour, header: undefined },
};

const exact = (at: number): string => new Date(at).toISOString();
const dates: Readonly<Record<string, World['date']>> = {
  exact,
  'whole seconds': (at) => exact(at).replace(/\.\d+/, ''),
  'ten minutes behind': (at) => exact(at - 10 * minute),
  'an hour behind': (at) => exact(at - hour),
  'an hour ahead': (at) => exact(at + hour),
  'without a zone': (at) => exact(at).replace('Z', ''),
  absent: () => '',
};

// What no clock can tell is not among them: an equal entry that is as old as the only known clock, or the dates of the list, are wrong.
// See docs/decisions/what-proves-a-write.md.
const histories: Readonly<Record<string, Pick<World, 'others' | 'own'>>> = {
  nothing: { others: [] },
  'an equal entry of ten minutes ago': { others: [[10 * minute, text]] },
  'the same, and another text of this client': { others: [[10 * minute, text]], own: thanks },
  'an equal entry of two seconds ago': { others: [[2 * second, text]] },
  'an equal entry of three hours ago': { others: [[3 * hour, text]] },
  'an equal entry of a day ago': { others: [[24 * hour, text]] },
  'an equal text of this client': { others: [], own: text },
  'another text of a minute ago': { others: [[minute, thanks]] },
};

/** What moderation makes of a text. */
const rewrites: readonly string[] = [
  text,
  ` ${text}\n`,
  text.replace(/\S+@\S+/, '*****'),
  '*****',
  '',
  text.normalize('NFD').replace(/\p{M}/gu, ''),
  text.slice(0, 12),
  'Mensaje moderado',
];

/** A machine whose clock is right, and a service whose dates are behind, imprecise or in any zone. */
const worlds = fc
  .record({
    header: fc.option(fc.integer({ min: -600_000, max: 600_000 }), { nil: undefined }),
    takesMs: fc.integer({ min: 0, max: 3000 }),
    shown: fc.constantFrom(...rewrites),
    others: fc.array(fc.tuple(fc.integer({ min: 1500, max: 2 * hour }), fc.constantFrom(text, thanks)), {
      maxLength: 3,
    }),
    behindMs: fc.integer({ min: 0, max: 600_000 }),
    digits: fc.constantFrom(23, 19, 16),
    zone: fc.constantFrom<readonly [string, number]>(['Z', 0], ['', 0], ['-04:00', -4], ['+0200', 2]),
  })
  .map(({ behindMs, digits, zone: [zone, hours], ...world }): World => {
    const date = (at: number): string => exact(at - behindMs + hours * hour).slice(0, digits) + zone;
    return { machine: 0, date, ...world };
  });

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  const right: World = { machine: 0, header: 0, date: exact, others: [] };

  test('is never taken for done if it was not carried out, nor for not done if it was', async () => {
    const wrong: string[] = [];
    for (const [clock, ofClock] of Object.entries(clocks))
      for (const [written, date] of Object.entries(dates))
        for (const [history, before] of Object.entries(histories)) {
          const world = { ...ofClock, ...before, date };
          if ((await confirmed(kind, world, false)).done === true) wrong.push(`done: ${clock}, ${written}, ${history}`);
          if ((await confirmed(kind, world, true)).done === false) wrong.push(`not: ${clock}, ${written}, ${history}`);
        }
    expect(wrong).toEqual([]);
  });

  test('is judged so whatever moderation makes of it, and with any dates', async () => {
    const holds = async (world: World): Promise<void> => {
      expect((await confirmed(kind, world, true)).done).not.toBe(false);
      expect((await confirmed(kind, world, false)).done).not.toBe(true);
    };
    await fc.assert(fc.asyncProperty(worlds, holds), { numRuns: 150 });
  });

  test('is denied if all other entries have another text and are old enough', async () => {
    const denied = async (world: World): Promise<void> => {
      const others = world.others.map(([beforeMs]) => [beforeMs + 48 * hour, thanks] as const);
      expect(await confirmed(kind, { ...world, others }, false)).toEqual({ done: false });
    };
    await fc.assert(fc.asyncProperty(worlds, denied), { numRuns: 50 });
  });

  const unknownTo = [
    'a Date an hour ahead',
    'this machine ten minutes ahead',
    'this machine an hour ahead, as earlier responses show',
    'this machine an hour ahead, without a Date',
    'this machine an hour behind, without a Date',
  ];
  test.each(Object.keys(clocks))('is found where its date is right by the clocks that count: %s', async (clock) => {
    const found = await confirmed(kind, { ...right, ...clocks[clock]! }, true);
    expect(found.done).toBe(unknownTo.includes(clock) ? undefined : true);
  });

  test.each([0, 0.5, 1, 4, 20, 50])(
    'with dates that are %f hours behind, an equal one of this client decides',
    async (hours) => {
      const behind = { ...right, date: (at: number) => exact(at - hours * hour) };
      expect((await confirmed(kind, behind, true)).done).toBe(hours === 0 ? true : undefined);
      expect((await confirmed(kind, { ...behind, own: text }, true)).done).toBe(true);
      expect((await confirmed(kind, { ...behind, own: text }, false)).done).toBe(false);
    },
  );

  test('another one of this client shows by how much this machine is ahead, to the second', async () => {
    const ahead = fc.record({
      machine: fc.oneof(fc.constantFrom(0, 1, 500, 749, 750, 1749), fc.integer({ min: 0, max: hour })),
      isStated: fc.boolean(),
      throttled: fc.integer({ min: 0, max: 2 }),
      beforeMs: fc.integer({ min: 1500, max: minute }),
    });
    const holds = async ({ isStated, beforeMs, ...rest }: typeof ahead extends fc.Arbitrary<infer T> ? T : never) => {
      const world = { ...right, ...rest, header: isStated ? 0 : undefined, own: thanks };
      expect((await confirmed(kind, world, true)).done).toBe(true);
      expect((await confirmed(kind, { ...world, others: [[beforeMs, text]] }, false)).done).not.toBe(true);
    };
    await fc.assert(fc.asyncProperty(ahead, holds), { numRuns: 60 });
  });
});
