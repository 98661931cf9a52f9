import type { Confirmation, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

// An entry proves a write only if, by one clock that is known, it was made between the sending and the reading. This table holds every
// combination of writes, clocks, dates of lists and histories: what was not carried out is never taken for done, nor what was for not.

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const text = 'Sí, hay.';

/** An entry as the service made it: the true time, its text, and whether the response to this client named it. */
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

const writes: Readonly<Record<string, Kind>> = {
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

/** How far this machine and the `Date` header are from the true time; no header: `undefined`. */
const clocks: Readonly<Record<string, { machine: number; header: number | undefined; learns?: boolean }>> = {
  right: { machine: 0, header: 0 },
  'right, without a Date': { machine: 0, header: undefined },
  'a Date a second behind': { machine: 0, header: -second },
  'a Date an hour behind': { machine: 0, header: -hour },
  'a Date an hour behind, also in earlier responses': { machine: 0, header: -hour, learns: true },
  'a Date an hour ahead': { machine: 0, header: hour },
  'this machine ten minutes behind, Date right': { machine: -10 * minute, header: 0 },
  'this machine ten minutes behind, Date right, also in earlier responses': {
    machine: -10 * minute,
    header: 0,
    learns: true,
  },
  'this machine an hour behind, Date right': { machine: -hour, header: 0 },
  'this machine an hour behind, without a Date': { machine: -hour, header: undefined },
  'this machine ten minutes ahead, Date right': { machine: 10 * minute, header: 0 },
  'this machine an hour ahead, Date right, also in earlier responses': { machine: hour, header: 0, learns: true },
  'this machine an hour ahead, without a Date': { machine: hour, header: undefined },
};

/** How far the dates of the list are from the true time, and how they are written. */
const dates: Readonly<Record<string, (at: number) => string>> = {
  exact: (at) => new Date(at).toISOString(),
  'whole seconds': (at) => new Date(at).toISOString().replace(/\.\d+/, ''),
  'ten minutes behind': (at) => new Date(at - 10 * minute).toISOString(),
  'an hour behind': (at) => new Date(at - hour).toISOString(),
  'an hour ahead': (at) => new Date(at + hour).toISOString(),
  'without a zone': (at) => new Date(at).toISOString().replace('Z', ''),
  absent: () => '',
};

/** What is in the list already; `own` is what this client has sent two minutes ago. */
const histories: Readonly<
  Record<string, { others: readonly (readonly [beforeMs: number, text: string])[]; own?: string }>
> = {
  nothing: { others: [] },
  'an equal entry of ten minutes ago': { others: [[10 * minute, text]] },
  'an equal entry of ten minutes ago, and another text of this client': {
    others: [[10 * minute, text]],
    own: 'Gracias',
  },
  'an equal entry of two seconds ago': { others: [[2 * second, text]] },
  'an equal entry of three hours ago': { others: [[3 * hour, text]] },
  'an equal entry of a day ago': { others: [[24 * hour, text]] },
  'an equal text of this client': { others: [], own: text },
  'another text of a minute ago': { others: [[minute, 'Gracias']] },
};

/**
 * One row of the table. What no clock can tell is not in it: an equal entry that is as old as the only known clock, or the dates of the
 * list, are wrong. See docs/decisions/what-proves-a-write.md.
 */
interface Row {
  readonly kind: Kind;
  readonly clock: string;
  readonly date: string;
  readonly history: string;
}

/** Loses the response of a write, and reads it back. The true time is that of the fake clock; the machine's is moved after it. */
async function confirmed({ kind, clock, date, history }: Row, isCarriedOut: boolean): Promise<Confirmation> {
  const { machine, header, learns = false } = clocks[clock]!;
  const truth = (): number => Date.now() - machine;
  vi.setSystemTime(Date.UTC(2026, 2, 3, 12, 0, 0, 250) + machine);
  const { others, own } = histories[history]!;
  const write = (at: number): string => dates[date]!(at);
  let entries: Made[] = [];
  const headers = (): HeadersInit => (header === undefined ? {} : { date: new Date(truth() + header).toUTCString() });
  let isLost = false;
  const service = ({ method, url }: Request): Response => {
    if (url.includes('/currencies')) return Response.json([{ id: 'ARS' }], { headers: headers() });
    const shown = entries.map((entry) => kind.made(entry, write(entry.at)));
    if (method === 'GET') return Response.json(kind.list(shown), { headers: headers() });
    const made = { id: String(entries.length + 1), text: isLost ? text : own!, at: truth() + 20 };
    if (!isLost || isCarriedOut) entries.push(made);
    if (isLost) throw new TypeError('fetch failed');
    return Response.json(kind.made(made, write(made.at)), { headers: headers() });
  };
  const { sellerClient } = stubbed([service], { accessToken: 'APP_USR-500-000001-7', maxRetries: 0 });
  if (learns) for (let n = 0; n < 6; n += 1) await advanceUntilSettled(Promise.resolve(sellerClient.currencies.list()));
  if (own !== undefined) {
    await advanceUntilSettled(Promise.resolve(kind.write(sellerClient, own)));
    await vi.advanceTimersByTimeAsync(2 * minute);
  }
  const before = others.map(([beforeMs, said], n) => ({ id: String(50 + n), text: said, at: truth() - beforeMs }));
  entries = [...before, ...entries];
  isLost = true;
  const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(kind.write(sellerClient, text)));
  await vi.advanceTimersByTimeAsync(50);
  return advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }));
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = (name: string): Row[] =>
  Object.keys(clocks).flatMap((clock) =>
    Object.keys(dates).flatMap((date) =>
      Object.keys(histories).map((history) => ({ kind: writes[name]!, clock, date, history })),
    ),
  );
const told = ({ clock, date, history }: Row): string => `${clock} | ${date} | ${history}`;

describe.each(Object.keys(writes))('%s', (name) => {
  test('is never taken for done if it was not carried out, nor for not done if it was, under every clock', async () => {
    const wrong: string[] = [];
    for (const row of rows(name)) {
      if ((await confirmed(row, false)).done === true) wrong.push(`done: ${told(row)}`);
      if ((await confirmed(row, true)).done === false) wrong.push(`not done: ${told(row)}`);
    }
    expect(wrong).toEqual([]);
  });

  const unknownTo = [
    'a Date an hour ahead',
    'this machine ten minutes ahead, Date right',
    'this machine an hour ahead, Date right, also in earlier responses',
    'this machine an hour ahead, without a Date',
    'this machine an hour behind, without a Date',
  ];
  test.each(Object.keys(clocks))('is found where its date is right by the clocks that count: %s', async (clock) => {
    const found = await confirmed({ kind: writes[name]!, clock, date: 'exact', history: 'nothing' }, true);
    expect(found.done).toBe(unknownTo.includes(clock) ? undefined : true);
  });
});
