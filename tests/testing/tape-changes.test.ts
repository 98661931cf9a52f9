import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/testing/server.js';
import { sample } from '../../src/testing/seed/sample.js';
import { lineOf } from '../../src/testing/tape/report.js';
import { verifyTape } from '../../src/testing/tape/replay.js';
import { taping } from '../support/taping.ts';

const now = '2030-03-04T12:00:00Z';

function fake(): FakeMarketplace {
  const marketplace = new FakeMarketplace({ now });
  marketplace.seed(sample(Date.parse(now)));
  return marketplace;
}

interface Altered {
  /** The path of what is altered in the body, e.g. `questions.0.status`. */
  readonly at?: string;
  /** What it becomes; `undefined` removes it. */
  readonly to?: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Change = (value: unknown) => unknown;

const reversed: Change = (value) => (value as unknown[]).toReversed();
const doubled: Change = (value) => [...(value as object[]), { ...(value as object[])[0], id: 5_000_000_077 }];
const withoutSecond: Change = (value) => (value as unknown[]).toSpliced(1, 1);
const lower: Change = (value) => String(value).toLowerCase();
const negated: Change = (value) => value !== true;
const raised: Change = (value) => Number(value) + 1;

/** Returns a body with one change. */
function alter(body: unknown, { at, to }: Altered): unknown {
  if (at === undefined) return body;
  const names = at.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((value, name) => (value as Record<string, unknown>)[name], body) as Record<
    string,
    unknown
  >;
  const changed = typeof to === 'function' ? (to as Change)(parent[last]) : to;
  if (changed === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = changed;
  return body;
}

/** Records one call to a fake whose response is altered, and verifies the tape on the fake as it is. */
async function differences(path: string, altered: Altered, typesOnly = false): Promise<string[]> {
  const service = fake();
  const { url, close } = await listen(async (request) => {
    const response = await service.fetch(new Request(request.url.replace(/^http:\/\/[^/]+/, service.baseUrl), request));
    const value = alter(await response.json(), altered);
    const headers = { ...Object.fromEntries(response.headers), ...altered.headers };
    return Response.json(value, { status: altered.status ?? response.status, headers });
  }, {});
  onTestFinished(close);
  const recorder = taping(url);
  await recorder.fetch(`http://localhost${path}`, { headers: { authorization: 'Bearer SELLER-TOKEN' } });
  const [result] = await verifyTape(recorder.tape(), fake(), { typesOnly });
  return result!.differences.map(lineOf);
}

const search = '/questions/search?seller_id=1001';
const conversation = '/messages/packs/2000000000000001/sellers/1001?tag=post_sale';
const blocked = '/messages/packs/2000000000000002/sellers/1001?tag=post_sale';
const options = '/messages/action_guide/packs/2000000000000001?tag=post_sale';
const subscriptions = '/shipping/flex/sites/MLA/users/1001/subscriptions/v1';
const missing = '/questions/1';

const window = '/users/1001/contacts/phone_views/time_window?last=2&unit=day';

const changes: readonly [name: string, path: string, altered: Altered, line: RegExp][] = [
  [
    'an open question that is answered',
    search,
    { at: 'questions.0.status', to: 'ANSWERED' },
    /^questions\[\]\.status: "UNANSWERED", not "ANSWERED"$/,
  ],
  [
    'the case of an enumerated value',
    search,
    { at: 'questions.0.status', to: lower },
    /^questions\[\]\.status: "UNANSWERED", not "unanswered"$/,
  ],
  ['a value that no list has yet', search, { at: 'questions.0.status', to: 'WAITING' }, /^questions\[\]\.status/],
  ['another total', search, { at: 'total', to: raised }, /^total: 3, not 4$/],
  ['an empty list', search, { at: 'questions', to: [] }, /^questions\[\]: 3 entries, not 0$/],
  ['one entry less', search, { at: 'questions', to: withoutSecond }, /^questions\[\]: 3 entries, not 2$/],
  ['one entry more', search, { at: 'questions', to: doubled }, /^questions\[\]: 3 entries, not 4$/],
  ['another order', search, { at: 'questions', to: reversed }, /^questions\[\]: another, not this order$/],
  ['another id', search, { at: 'questions.0.seller_id', to: 1002 }, /^questions\[\]\.seller_id: an id, not an id$/],
  ['another asker', search, { at: 'questions.0.from.id', to: 1001 }, /^questions\[\]\.from\.id: an id, not an id$/],
  [
    'an id as a text',
    search,
    { at: 'questions.0.seller_id', to: '1001' },
    /^retyped questions\[\]\.seller_id: number, not string$/,
  ],
  ['a flag', search, { at: 'questions.0.hold', to: negated }, /^questions\[\]\.hold: (true|false), not/],
  [
    'null for an object',
    search,
    { at: 'questions.0.from', to: null },
    /^retyped questions\[\]\.from: object, not null$/,
  ],
  [
    'an object for null',
    search,
    { at: 'questions.0.answer', to: {} },
    /^retyped questions\[\]\.answer: null, not object$/,
  ],
  ['no object', search, { at: 'questions.0.from' }, /^extra questions\[\]\.from$/],
  ['a field more', search, { at: 'questions.0.new_field', to: 1 }, /^missing questions\[\]\.xxx_xxxxx$/],
  [
    'a text that is empty',
    search,
    { at: 'questions.0.text', to: '' },
    /^questions\[\]\.text: a text of \d+ characters, not an empty text$/,
  ],
  ['a text of another length', search, { at: 'questions.0.text', to: 'a'.repeat(1900) }, /^questions\[\]\.text/],
  [
    'the form of a date',
    search,
    { at: 'questions.0.date_created', to: '2030-03-04T12:00:00Z' },
    /^questions\[\]\.date_created/,
  ],
  [
    'a moderated message',
    conversation,
    { at: 'messages.0.status', to: 'moderated' },
    /^messages\[\]\.status: "available", not "moderated"$/,
  ],
  [
    'the result of moderation',
    conversation,
    { at: 'messages.0.message_moderation.status', to: 'NON_MODERATED' },
    /^messages\[\]\.message_moderation\.status/,
  ],
  [
    'a conversation that is open',
    blocked,
    { at: 'conversation_status.status', to: 'active' },
    /^conversation_status\.status: "blocked", not "active"$/,
  ],
  [
    'another reason of a block',
    blocked,
    { at: 'conversation_status.substatus', to: 'blocked_by_payment' },
    /^conversation_status\.substatus/,
  ],
  [
    'another limit of a message',
    conversation,
    { at: 'seller_max_message_length', to: 351 },
    /^seller_max_message_length: 350, not 351$/,
  ],
  [
    'a cap that is used up',
    options,
    { at: 'options.1.cap_available', to: 0 },
    /^options\[\]\.cap_available: 1, not 0$/,
  ],
  ['a missing option', options, { at: 'options', to: withoutSecond }, /^options\[\]: \d entries, not \d$/],
  [
    'another type of an option',
    options,
    { at: 'options.0.type', to: 'free_text' },
    /^options\[\]\.type: "template", not "free_text"$/,
  ],
  [
    'another state of a subscription',
    subscriptions,
    { at: '0.status.id', to: 'pending' },
    /^\[\]\.status\.id: "in", not "pending"$/,
  ],
  ['another code', missing, { at: 'error', to: 'question_not_found' }, /^code not_found, not question_not_found$/],
  ['another cause', missing, { at: 'cause', to: ['blocked_by_time'] }, /^cause\[\]: 0 entries, not 1$/],
  ['another known message', missing, { at: 'message', to: 'Access token is required' }, /^message: /],
  ['another status', missing, { status: 403 }, /^status 404, not 403$/],
  ['a success that was an error', search, { status: 500 }, /^status 200, not 500$/],
  ['a time to wait', missing, { headers: { 'retry-after': '3' } }, /^header retry-after: absent, not 3$/],
  [
    'an id that nothing has',
    search,
    { at: 'questions.0.id', to: 5_000_000_077 },
    /^questions\[\]\.id: an id, not an id$/,
  ],
  ['a seller that nothing else has', search, { at: 'questions.0.seller_id', to: 77 }, /^questions\[\]\.seller_id/],
  ['an id that is empty', search, { at: 'questions.0.item_id', to: '' }, /^questions\[\]\.item_id/],
  ['an id of another form', conversation, { at: 'messages.0.id', to: 'M-1' }, /^messages\[\]\.id/],
  ['an id in lower case', search, { at: 'questions.0.item_id', to: lower }, /^questions\[\]\.item_id/],
  ['another filter', search, { at: 'filters.limit', to: 10 }, /^filters\.limit: 50, not 10$/],
  [
    'another order of names',
    search,
    { at: 'available_sorts', to: reversed },
    /^available_sorts\[\]: another, not this/,
  ],
  ['another order of intervals', window, { at: 'results', to: reversed }, /^results\[\]: another, not this order$/],
  ['another unit', window, { at: 'unit', to: 'hour' }, /^unit: "day", not "hour"$/],
  ['another count in an entry', window, { at: 'results.0.total', to: raised }, /^results\[\]\.total: \d, not \d$/],
];

test.each(changes)('%s is reported', async (_, path, altered, line) => {
  const found = await differences(path, altered);
  expect(found).toContainEqual(expect.stringMatching(line));
  expect(found.length).toBeLessThan(4);
});

test.each(changes.filter(([name]) => /total|order|text (of|that)|case|cap|flag|for (null|an object)/.test(name)))(
  'with types only, %s is none',
  async (_, path, altered) => {
    expect(await differences(path, altered, true)).toEqual([]);
  },
);

test('with types only, another type, a missing field and another status are reported', async () => {
  const found = (altered: Altered): Promise<string[]> => differences(search, altered, true);
  expect(await found({ at: 'total', to: '3' })).toEqual(['retyped total: number, not string']);
  expect(await found({ at: 'total' })).toEqual(['extra total']);
  expect(await found({ status: 201 })).toEqual(['status 200, not 201']);
});
