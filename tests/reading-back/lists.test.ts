import type { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmByList } from '../../src/resources/confirm-by-list.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

// A write makes an entry in a list. Its response is lost, and the list is read back: each row says what was sent, what the list shows, what
// this client knows of its other writes, how the clocks differ, what follows, and why.
//
// An entry is: a text (named below, or in quotes), its date after the write (`+1m`, and after `~` how it is written), and fields. An
// earlier write is: a text, how it ended, when it was sent, and the `id` of its entry. `date` is how far the `Date` header is off, `later`
// when the list is read. Of `unknown`, the reason is a part of what the caller is told.

const table = `
sent                | the list shows                               | known                    | clocks     | verdict  | why
message             | nothing                                      |                          |            | not done | the whole list has no entry
message             | nothing total=none                           |                          |            | unknown  | newest entry
message             | same +1m                                     |                          |            | done 1   | an entry since, with this text
message             | same +1m total=90                            |                          |            | done 1   | an entry proves itself in any list
message             | same +1m; same +2m                           |                          |            | done 1   | the oldest: later writes cannot have made it
message             | same +2m; same +1m                           |                          |            | done 2   | whichever end is the newer
message             | same -1m; same +1m                           |                          |            | unknown  | 2 entries look like
message             | same +1m; same ~none                         |                          |            | unknown  | 2 entries look like
message             | same -16m; same +1m                          |                          |            | done 2   | the first is from before
message             | cut -16m                                     |                          |            | not done | it is from before
message             | cut +1m; same +2m                            |                          |            | done 2   | what is equal comes first
message             | other -2d total=90                           |                          |            | unknown  | newest entry
message             | other -2d total=0                            |                          |            | unknown  | newest entry
message             | other -2d total=none                         |                          |            | unknown  | newest entry
message             | 50*other -2d by=31; same +1m                 |                          |            | done 51  | both ends are read
message             | 9*other -2d                                  |                          |            | not done | an older text of the seller is another

message             | same -15m                                    |                          |            | unknown  | 1 entry looks like
message             | same -15m1ms                                 |                          |            | unknown  | an equal entry has an older date
message             | same -2d                                     |                          |            | unknown  | an equal entry has an older date
message             | same -100ms                                  |                          |            | done 1   | synchronised clocks differ so much
message             | same -101ms                                  |                          |            | unknown  | 1 entry looks like
message             | same -500ms ~s                               |                          |            | done 1   | a whole second leaves out as much
message             | same -501ms ~s                               |                          |            | unknown  | 1 entry looks like
message             | same -2s ~minute                             |                          |            | unknown  | 1 entry looks like
message             | same +1s ~zone                               |                          |            | done 1   | a zone is read
message             | same -23h ~zone                              |                          |            | unknown  | older date
message             | same +20h                                    |                          |            | unknown  | 1 entry looks like
message             | same +0s ~local                              |                          |            | unknown  | 1 entry looks like
message             | same +20h ~local                             |                          |            | unknown  | 1 entry looks like
message             | same -15h15m ~local                          |                          |            | unknown  | 1 entry looks like
message             | same -15h15m1ms ~local                       |                          |            | unknown  | older date
message             | same +0s ~day                                |                          |            | unknown  | 1 entry looks like
message             | same -1d ~day                                |                          |            | unknown  | 1 entry looks like
message             | same -3d ~day                                |                          |            | unknown  | older date
message             | same ~none                                   |                          |            | unknown  | 1 entry looks like
message             | same ~word                                   |                          |            | unknown  | 1 entry looks like
message             | same ~impossible                             |                          |            | unknown  | 1 entry looks like
message             | same ~none received=+2m                      |                          |            | done 1   | when it arrived, if nothing else is shown
message             | same ~none received=-1h                      |                          |            | unknown  | older date
message             | same -1h received=+2m                        |                          |            | unknown  | older date
message             | other +1ms                                   |                          |            | unknown  | another entry since
message             | other -15m                                   |                          |            | unknown  | another entry since
message             | other -15m1ms                                |                          |            | not done | moderation changes no older text
message             | other -60s ~minute                           |                          |            | unknown  | another entry since
message             | other -2d ~local                             |                          |            | not done | older in any zone
message             | other ~none                                  |                          |            | unknown  | another entry since

message             | spaces +1m                                   |                          |            | done 1   | spaces do not count
message             | unspaced +1m                                 |                          |            | unknown  | a similar entry
message             | loud -20s                                    |                          |            | unknown  | a similar entry
message             | accents -20s                                 |                          |            | unknown  | a similar entry
message             | escaped -20s                                 |                          |            | unknown  | a similar entry
message             | masked -20s                                  |                          |            | unknown  | a similar entry
message             | longer -20s                                  |                          |            | unknown  | a similar entry
message             | cut -20s                                     |                          |            | unknown  | a similar entry
message             | "***" -20s                                   |                          |            | unknown  | a similar entry
message             | "" -20s                                      |                          |            | unknown  | a similar entry
message             | null -20s                                    |                          |            | unknown  | a similar entry
message             | "You" -20s                                   |                          |            | unknown  | a similar entry
message             | "the" -20s                                   |                          |            | unknown  | a similar entry
message             | "a 1 b 2" -20s                               |                          |            | unknown  | a similar entry
message             | "Hello! Your parcel leaves today" -20s       |                          |            | unknown  | a similar entry
message             | "Your parcel leaves, mira etiqueta" -20s     |                          |            | unknown  | a similar entry
message             | "Your parcel mañana etiqueta" -20s           |                          |            | unknown  | another entry since
message             | "parce leav toda" -20s                       |                          |            | unknown  | another entry since

message             | same +1m by=31                               |                          |            | not done | the buyer has written it
message             | same +1m by=none                             |                          |            | done 1   | either side may have
message from=8      | same +1m by=8                                |                          |            | done 1   | the sender who was given
message from=8      | same +1m                                     |                          |            | not done | not the seller of the path
message files=a+b   | same +1m files=a+b                           |                          |            | done 1   | its files
message files=a+b   | same +1m files=b+a                           |                          |            | done 1   | in any order
message files=12    | same +1m files=12                            |                          |            | done 1   | a number too
message files=a+b   | same +1m files=a                             |                          |            | unknown  | a similar entry
message files=a+b   | same +1m files=a+c                           |                          |            | unknown  | a similar entry
message files=a+b   | same +1m files=a+b+c                         |                          |            | unknown  | a similar entry
message files=a+b   | same +1m                                     |                          |            | unknown  | a similar entry
message             | same +1m files=a                             |                          |            | unknown  | a similar entry
message files=a     | other +1m files=a                            |                          |            | unknown  | another entry since
message             | same +1m packs=901                           |                          |            | done 1   | an order may have got a pack since
message             | other -1h packs=900                          |                          |            | not done | its own pack
message             | other -1h orders=901                         |                          |            | not done | no pack is named
message             | other -1h packs=901; other -1h packs=900     |                          |            | not done | one of them is
message             | other -1h packs=901; other -1h               |                          |            | unknown  | newest entry

question            | nothing                                      |                          |            | not done | nobody has asked
question            | same +1m                                     |                          |            | done 1   | by the user of the token
question            | same +1m by=99                               |                          |            | not done | another user has asked it
question            | same +1m by=none                             |                          |            | unknown  | it may be of another user
question by=nobody  | same +1m                                     |                          |            | unknown  | it may be of another user
question by=nobody  | same +1m; same +1m                           |                          |            | unknown  | 2 entries look like
question            | same +1m item=MLA1                           |                          |            | done 1   | about its item
question            | same +1m item=MLA2                           |                          |            | unknown  | newest entry
question            | 49*other +1m by=99; same +1m                 |                          |            | done 50  | the last of a page
question            | 99*other +1m by=99; same +1m                 |                          |            | done 100 | the last of two pages
question            | 120*other +1m by=99                          |                          |            | not done | what is between both ends is no newest one
question            | 100*other +1m by=99                          |                          |            | not done | two pages are the whole list
option              | same +1m                                     |                          |            | done 1   | the text of an option is compared
option              | other -1h                                    |                          |            | not done | as that of a message
option by=nobody    | same +1m                                     |                          |            | unknown  | does not name the seller

message             | same +1m id=1                                | same done -1s id=1       |            | not done | it is the entry of the other one
message             | same +1m id=1                                | same done -1h id=1       |            | not done | also an hour later
message             | same +1m id=1                                | same done -1s id=2       |            | done 1   | the entry of the other one is another
message             | same +1m id=1                                | same done -1s id=none    |            | not done | it has made one, which nothing names
message             | same +1m; same +2m                           | same done -1s id=none    |            | done 2   | the oldest is that of the other one
message             | same -59m; same +1m                          | same done -1h id=none    |            | done 2   | an hour later too
message             | same +1m                                     | same rejected -1s        |            | done 1   | it has made none
message             | same +1m                                     | same failed -1s          |            | done 1   | equal writes are interchangeable
message             | same +1m                                     | same unread -1s          |            | done 1   | equal writes are interchangeable
message             | same -59m                                    | same lost -1h            |            | done 1   | this one may take its place
message             | same -90m                                    | same lost -1h            |            | unknown  | older date
message             | same -59m; same +1m                          | same lost -1h            |            | done 2   | its own comes first
message             | same -119m; same +1m                         | same lost -2h; same lost -1h |        | done 2   | of any number
message             | same +1m                                     | same flying -1s          |            | unknown  | an equal write is being sent
message             | same +1m; same +2m                           | same flying -1s          |            | done 1   | one for each
message             | same +1m; same +2m                           | same flying -1s; same flying -1s |    | unknown  | an equal write is being sent
message             | nothing                                      | same flying -1s          |            | not done | it has made none yet
message             | same +1m                                     | other done -1s id=9      |            | done 1   | another text is another write
message             | same +1m                                     | same done -1s id=9 pack=2 |           | done 1   | as is another conversation
message             | other +1m                                    | other lost -1s           |            | not done | this write cannot have made it
message             | other -1m                                    | other lost -1s           |            | unknown  | another entry since
message             | other +1m; other +2m                         | other lost -1s           |            | unknown  | another entry since
message             | same -16m; other -20m id=9                   | other done -20m id=9     |            | not done | an entry of its own shows that dates are right
message             | same -16m; other ~none id=9                  | other done -20m id=9     |            | unknown  | older date
message             | same -16m; other -20m id=9                   |                          |            | unknown  | older date
message             | same -29m; other -40m id=9                   | other done -10m id=9     |            | done 1   | it shows that dates are half an hour behind
message             | same +10m; other +9m id=9                    | other done -2m id=9      |            | done 1   | dates that are ahead move no write

message             | same +100ms                                  |                          | date 0s    | done 1   | both clocks agree
message             | same -600ms                                  |                          | date 0s    | unknown  | 1 entry looks like
message             | same -1h                                     |                          | date -1h   | unknown  | 1 entry looks like
message             | same +100ms                                  |                          | date -1h   | done 1   | new by both
message             | same +100ms                                  |                          | date 100s  | unknown  | 1 entry looks like
message             | same +100ms                                  |                          | date 1h    | unknown  | 1 entry looks like
message             | same +1h                                     |                          | date 1h    | done 1   | this machine is behind
message             | same -100s                                   |                          | date 0s    | unknown  | 1 entry looks like
message             | same -10m                                    |                          | date none  | unknown  | 1 entry looks like
message             | same +1ms                                    |                          | later 10m  | done 1   | the time of sending counts
message             | same -2d                                     |                          | later 10m  | unknown  | older date
`;

const sentAt = Date.parse('2026-03-02T12:00:00.500Z');
const text = 'Your parcel leaves today, <see> the label 👍';
const texts: Readonly<Record<string, string | null>> = {
  same: text,
  other: 'Gracias por su compra',
  cut: text.slice(0, 20),
  longer: `${text} ${'Saludos de la tienda '.repeat(9)}`,
  spaces: `  ${text.replaceAll(' ', ' \n ')}\n`,
  unspaced: text.replaceAll(' ', ''),
  loud: text.toUpperCase(),
  accents: text.replace('Your', 'Yóur'),
  escaped: text.replace('<', '&lt;').replace('>', '&gt;'),
  masked: 'Your ****** leaves *****, <see> the label',
  null: null,
};
const textOf = (name: string): string | null => (name.startsWith('"') ? name.slice(1, -1) : (texts[name] ?? null));

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Milliseconds of a time such as `-15m1ms`. */
function offsetOf(time: string): number {
  const parts = [...time.matchAll(/(\d+)(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as 'ms'], 0);
  return time.startsWith('-') ? -ms : ms;
}

const forms: Readonly<Record<string, (iso: string, at: number) => string | undefined>> = {
  exact: (iso) => iso,
  s: (iso) => `${iso.slice(0, 19)}Z`,
  minute: (iso) => `${iso.slice(0, 16)}Z`,
  local: (iso) => iso.slice(0, -1),
  day: (iso) => iso.slice(0, 10),
  zone: (_, at) => new Date(at - 3 * units.h).toISOString().replace('Z', '-03:00'),
  word: () => 'yesterday',
  impossible: () => '2026-02-31T99:00:00Z',
  none: () => undefined,
};
function dateOf(time: string, form = 'exact'): string | undefined {
  const at = sentAt + offsetOf(time);
  return forms[form]!(new Date(at).toISOString(), at);
}

/** A part of a row: `same +1m ~s by=31` has the words `same` and `+1m`, the form `s` and the field `by`. */
interface Words {
  readonly words: readonly string[];
  readonly form: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}
function wordsOf(part: string): Words {
  const all = part.match(/"[^"]*"|\S+/g) ?? [];
  const fields = Object.fromEntries(
    all.flatMap((each) => (each.includes('=') ? [each.split('=', 2) as [string, string]] : [])),
  );
  const words = all.filter((each) => !/[=~]/.test(each));
  return { words, form: all.find((each) => each.startsWith('~'))?.slice(1), fields };
}
const partsOf = (cell: string): string[] => cell.split(';').map((each) => each.trim());

type Fields = Words['fields'];
interface Kind {
  readonly send: (client: SellerClient, text: string, fields: Fields) => PromiseLike<unknown>;
  readonly list: (entries: readonly object[], total: number | undefined) => object;
  readonly entry: (id: number, text: string | null, date: string | undefined, fields: Fields) => object;
}

const filesOf = ({ files }: Fields): string[] => files?.split('+') ?? [];
const asNumber = (value: string): number | string => (/^\d+$/.test(value) ? Number(value) : value);
const userOf = (by = '7'): { user_id: number } | null => (by === 'none' ? null : { user_id: Number(by) });

const message: Kind = {
  send: (client, sent, fields) =>
    client.messages.send({
      pack_id: fields.pack ?? '900',
      user_id: 7,
      to: { user_id: 31 },
      text: sent,
      attachments: filesOf(fields).map(asNumber) as string[],
      ...(fields.from && { from: { user_id: Number(fields.from) } }),
    }),
  list: (messages, total) => ({ messages, ...(total !== undefined && { paging: { total } }) }),
  entry: (id, shown, created, fields) => ({
    id: `${id}`,
    from: userOf(fields.by),
    text: shown,
    message_date: { created, ...(fields.received && { received: dateOf(fields.received) }) },
    message_attachments: filesOf(fields).map((filename) => ({ filename })),
    message_resources: ['packs', 'orders'].flatMap((name) => (fields[name] ? [{ id: fields[name], name }] : [])),
  }),
};

const kinds: Readonly<Record<string, Kind>> = {
  message,
  option: {
    ...message,
    send: (client, sent) => client.actionGuide.send({ pack_id: '900', option_id: 'OTHER', text: sent }),
  },
  question: {
    send: (client, sent) => client.questions.ask({ item_id: 'MLA1', text: sent }),
    list: (questions, total) => ({ questions, total }),
    entry: (id, shown, date_created, { by, item }) => {
      return { id, text: shown, from: by === 'none' ? null : { id: Number(by ?? 7) }, date_created, item_id: item };
    },
  },
};

interface Row {
  readonly sent: string;
  readonly shows: string;
  readonly known: string;
  readonly clocks: string;
}

/** How an earlier write of this client ended. */
function ended(how: string, id: string | undefined): Response | Promise<Response> {
  if (how === 'done') return Response.json(id === 'none' ? {} : { id });
  if (how === 'flying') return new Promise<Response>(() => undefined);
  if (how === 'lost') throw new TypeError('fetch failed');
  return new Response('<html>', { status: { rejected: 400, failed: 500, unread: 201 }[how] ?? 0 });
}

/** Loses the response of a write, and reads it back from a list. */
async function readBack({ sent, shows, known, clocks }: Row) {
  const { words, fields } = wordsOf(sent);
  const { send, list, entry } = kinds[words[0]!]!;
  const [what, ms] = clocks.split(' ');
  const earlier = known === '' ? [] : partsOf(known).map(wordsOf);
  const shown = partsOf(shows).map(wordsOf);
  const entries = shown.flatMap(({ words: [word, time = ''], form, fields: more }) => {
    const [, count = 1, name = ''] = /^(?:(\d+)\*)?(.*)$/s.exec(word!)!;
    const one = { said: textOf(name), date: dateOf(time, form), more };
    return name === 'nothing' ? [] : Array.from({ length: Number(count) }, () => one);
  });
  const all = entries.map(({ said, date, more }, n) => entry(Number(more.id ?? n + 1), said, date, more));
  const stated = shown.at(-1)!.fields.total ?? String(all.length);
  const queries: Record<string, string>[] = [];
  const ends = earlier.map(
    ({ words: [, how], fields: { id } }) =>
      () =>
        ended(how!, id),
  );
  const service = ({ method, url }: Request): Response | Promise<Response> => {
    if (method !== 'GET') return (ends.shift() ?? (() => ended('lost', undefined)))();
    const query = Object.fromEntries(new URL(url).searchParams);
    queries.push(query);
    const offset = Number(query.offset ?? 0);
    const body = list(all.slice(offset, offset + 50), stated === 'none' ? undefined : Number(stated));
    const date = ms === 'none' ? 'now' : new Date(Date.now() + offsetOf(ms ?? '')).toUTCString();
    return Response.json(body, { headers: what === 'date' ? { date } : {} });
  };
  const accessToken = fields.by === 'nobody' ? 'token-1' : 'APP_USR-500-000001-7';
  const { sellerClient } = stubbed([service], { accessToken, maxRetries: 0 });
  for (const {
    words: [name, , time],
    fields: more,
  } of earlier) {
    const at = sentAt + offsetOf(time!);
    if (at > Date.now()) await vi.advanceTimersByTimeAsync(at - Date.now());
    else vi.setSystemTime(at);
    void errorOf(send(sellerClient, textOf(name!)!, more)).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
  }
  if (earlier.length > 0) await vi.advanceTimersByTimeAsync(sentAt - Date.now());
  const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(send(sellerClient, text, fields)));
  if (what === 'later') await vi.advanceTimersByTimeAsync(offsetOf(ms!));
  return { found: await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 })), queries };
}

beforeEach(() => void vi.useFakeTimers({ now: sentAt }));
afterEach(() => void vi.useRealTimers());

const rows = table
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 6)
  .slice(1)
  .map(([sent = '', shows = '', known = '', clocks = '', verdict = '', why = '']) => {
    return { sent, shows, known, clocks, verdict, why };
  });

test.each(rows)('$sent: $shows, known $known, clocks $clocks: $verdict ($why)', async ({ verdict, why, ...row }) => {
  const { found } = await readBack(row);
  const [, id] = /^done (\d+)$/.exec(verdict) ?? [];
  if (verdict === 'unknown') expect(found).toMatchObject({ unknown: expect.stringContaining(why) as string });
  else expect(found).toMatchObject({ done: verdict !== 'not done' });
  if (id !== undefined)
    expect(found).toMatchObject({ output: { id: row.sent.startsWith('question') ? Number(id) : id } });
});

describe('a list is read at both of its ends', () => {
  const none = { known: '', clocks: '' };
  test.each([
    [0, [undefined]],
    [50, [undefined]],
    [51, [undefined, '50']],
    [100, [undefined, '50']],
    [120, [undefined, '70']],
  ])('that of %i questions, the newest first', async (count, offsets) => {
    const { queries } = await readBack({ sent: 'question', shows: count ? `${count}*other +1m` : 'nothing', ...none });
    expect(queries.map(({ offset }) => offset)).toEqual(offsets);
    for (const { offset: _, ...query } of queries)
      expect(query).toEqual({ item: 'MLA1', sort_fields: 'date_created', sort_types: 'DESC', limit: '50' });
  });

  test('that of a conversation, which stays unread', async () => {
    const { queries } = await readBack({ sent: 'message', shows: '50*other +1m by=31 total=120', ...none });
    const common = { limit: '50', mark_as_read: 'false', tag: 'post_sale' };
    expect(queries).toEqual([common, { ...common, offset: '110' }]);
  });

  test.each([
    [120, 120, false],
    [121, 120, undefined],
    [120, 121, undefined],
    [119, 120, undefined],
  ])('of %i questions at first and then %i: whether it was not asked: %s', async (first, then, done) => {
    const service = ({ method, url }: Request): Response => {
      if (method !== 'GET') throw new TypeError('fetch failed');
      const offset = Number(new URL(url).searchParams.get('offset'));
      const total = offset === 0 ? first : then;
      const length = Math.max(0, Math.min(50, total - offset));
      const questions = Array.from({ length }, (_, n) => ({ id: offset + n + 1, from: { id: 99 }, text: 'New?' }));
      return Response.json({ questions, total });
    };
    const { sellerClient } = stubbed([service], { accessToken: 'APP_USR-1-31', maxRetries: 0 });
    const asking = sellerClient.questions.ask({ item_id: 'MLA1', text: 'Red?' });
    const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(asking));
    expect((await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).done).toBe(done);
  });
});

test.each([
  [1, { done: false }],
  [2, { done: true, output: '2' }],
])('of %i equal entries, another process takes the first one between the look and the claim', async (count, result) => {
  const date = new Date(1000).toISOString();
  const entries = ['1', '2']
    .slice(0, count)
    .map((name) => ({ entry: name, name, date, compare: () => 'same' as const }));
  const looks = [undefined, 'another'] as const;
  let looked = 0;
  const look = () => {
    const proved = looks[looked++];
    const provedBy = (name: string) => (name === '1' ? proved : undefined);
    return Promise.resolve({ provedBy, sentOf: () => undefined, isInFlight: false, others: [] });
  };
  const list = { entries, isComplete: true, sent: { earliest: 0, latest: 0 } };
  const claim = (name: string) => Promise.resolve(name !== '1');
  expect(await confirmByList(list, {}, { look, claim })).toEqual(result);
});
