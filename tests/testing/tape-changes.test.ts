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

type Json = any; // eslint-disable-line @typescript-eslint/no-explicit-any -- each change knows the body that it changes

interface Altered {
  readonly body?: (body: Json) => void;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Records one call to a fake whose response is altered, and verifies the tape on the fake as it is. */
async function differences(
  method: string,
  path: string,
  altered: Altered,
  typesOnly = false,
  body?: object,
): Promise<string[]> {
  const service = fake();
  const { url, close } = await listen(async (request) => {
    const response = await service.fetch(new Request(request.url.replace(/^http:\/\/[^/]+/, service.baseUrl), request));
    const value = (await response.json()) as Json;
    altered.body?.(value);
    const headers = { ...Object.fromEntries(response.headers), ...altered.headers };
    return Response.json(value, { status: altered.status ?? response.status, headers });
  }, {});
  onTestFinished(close);
  const recorder = taping(url);
  const headers = { authorization: 'Bearer SELLER-TOKEN', 'content-type': 'application/json' };
  await recorder.fetch(`http://localhost${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const [result] = await verifyTape(recorder.tape(), fake(), { typesOnly });
  return result!.differences.map(lineOf);
}

const search = '/questions/search?seller_id=1001';
const conversation = '/messages/packs/2000000000000001/sellers/1001?tag=post_sale';
const blocked = '/messages/packs/2000000000000002/sellers/1001?tag=post_sale';
const options = '/messages/action_guide/packs/2000000000000001?tag=post_sale';
const subscriptions = '/shipping/flex/sites/MLA/users/1001/subscriptions/v1';
const missing = '/questions/1';

const changes: readonly [name: string, path: string, altered: Altered, line: string | RegExp][] = [
  [
    'an answered question that is not',
    search,
    { body: (b) => (b.questions[0].status = b.questions[0].status === 'ANSWERED' ? 'UNANSWERED' : 'ANSWERED') },
    /^questions\[\]\.status: "\w+", not "\w+"$/,
  ],
  [
    'the case of an enumerated value',
    search,
    { body: (b) => (b.questions[0].status = b.questions[0].status.toLowerCase()) },
    /^questions\[\]\.status/,
  ],
  [
    'a value that no list has yet',
    search,
    { body: (b) => (b.questions[0].status = 'WAITING') },
    /^questions\[\]\.status/,
  ],
  ['another total', search, { body: (b) => (b.total += 1) }, 'total: 3, not 4'],
  ['an empty list', search, { body: (b) => (b.questions = []) }, 'questions[]: 3 entries, not 0'],
  ['one entry less', search, { body: (b) => b.questions.pop() }, 'questions[]: 3 entries, not 2'],
  [
    'one entry more',
    search,
    { body: (b) => b.questions.push({ ...b.questions[0], id: 5_000_000_077 }) },
    'questions[]: 3 entries, not 4',
  ],
  ['another order', search, { body: (b) => b.questions.reverse() }, 'questions[]: another, not this order'],
  ['another id', search, { body: (b) => (b.questions[0].seller_id = 1002) }, 'questions[].seller_id: an id, not an id'],
  ['another asker', search, { body: (b) => (b.questions[0].from.id = 1001) }, 'questions[].from.id: an id, not an id'],
  [
    'an id as a text',
    search,
    { body: (b) => (b.questions[0].seller_id = '1001') },
    'retyped questions[].seller_id: number, not string',
  ],
  [
    'a flag',
    search,
    { body: (b) => (b.questions[0].hold = !b.questions[0].hold) },
    /^questions\[\]\.hold: (true|false), not/,
  ],
  [
    'null for an object',
    search,
    { body: (b) => (b.questions[0].from = null) },
    'retyped questions[].from: object, not null',
  ],
  ['no object', search, { body: (b) => delete b.questions[0].from }, 'extra questions[].from'],
  ['a field more', search, { body: (b) => (b.questions[0].new_field = 1) }, /^missing questions\[\]\./],
  [
    'a text that is empty',
    search,
    { body: (b) => (b.questions[0].text = '') },
    /^questions\[\]\.text: a text of \d+ characters, not an empty text/,
  ],
  [
    'a text of another length',
    search,
    { body: (b) => (b.questions[0].text = 'a'.repeat(1900)) },
    /^questions\[\]\.text/,
  ],
  [
    'the form of a date',
    search,
    { body: (b) => (b.questions[0].date_created = '2030-03-04T12:00:00-04:00') },
    /^questions\[\]\.date_created/,
  ],
  [
    'a moderated message',
    conversation,
    { body: (b) => (b.messages[0].status = 'moderated') },
    /^messages\[\]\.status: "available", not "moderated"/,
  ],
  [
    'the result of moderation',
    conversation,
    { body: (b) => (b.messages[0].message_moderation.status = 'NON_MODERATED') },
    /^messages\[\]\.message_moderation\.status/,
  ],
  [
    'a conversation that is open',
    blocked,
    { body: (b) => (b.conversation_status.status = 'active') },
    'conversation_status.status: "blocked", not "active"',
  ],
  [
    'another reason of a block',
    blocked,
    { body: (b) => (b.conversation_status.substatus = 'blocked_by_payment') },
    /^conversation_status\.substatus/,
  ],
  [
    'another limit of a message',
    conversation,
    { body: (b) => (b.seller_max_message_length = 351) },
    'seller_max_message_length: 350, not 351',
  ],
  [
    'a cap that is used up',
    options,
    { body: (b) => (b.options[1].cap_available = 0) },
    'options[].cap_available: 1, not 0',
  ],
  ['a missing option', options, { body: (b) => b.options.splice(1, 1) }, /^options\[\]: \d entries, not \d$/],
  [
    'another type of an option',
    options,
    { body: (b) => (b.options[0].type = 'free_text') },
    'options[].type: "template", not "free_text"',
  ],
  [
    'another state of a subscription',
    subscriptions,
    { body: (b) => (b[0].status.id = 'pending') },
    '[].status.id: "in", not "pending"',
  ],
  [
    'another code',
    missing,
    { body: (b) => (b.error = 'question_not_found') },
    'code not_found, not question_not_found',
  ],
  ['another cause', missing, { body: (b) => (b.cause = ['blocked_by_time']) }, 'cause[]: 0 entries, not 1'],
  ['another known message', missing, { body: (b) => (b.message = 'Access token is required') }, /^message: /],
  ['another status', missing, { status: 403 }, 'status 404, not 403'],
  ['a success that was an error', search, { status: 500 }, 'status 200, not 500'],
  ['a time to wait', missing, { headers: { 'retry-after': '3' } }, 'header retry-after: absent, not 3'],
  [
    'another unit',
    '/users/1001/contacts/phone_views/time_window?last=2&unit=day',
    { body: (b) => (b.unit = 'hour') },
    'unit: "day", not "hour"',
  ],
  [
    'another count in an entry',
    '/users/1001/contacts/phone_views/time_window?last=2&unit=day',
    { body: (b) => (b.results[0].total += 2) },
    /^results\[\]\.total/,
  ],
];

test.each(changes)('%s is reported', async (_, path, altered, line) => {
  const found = await differences('GET', path, altered);
  const isFound = found.some((each) => (typeof line === 'string' ? each === line : line.test(each)));
  expect([isFound, found]).toEqual([true, found]);
  expect(found.length).toBeLessThan(4);
});

test.each(changes.filter(([name]) => /total|order|text of|case|cap|flag/.test(name)))(
  'with types only, %s is none',
  async (_, path, altered) => {
    expect(await differences('GET', path, altered, true)).toEqual([]);
  },
);

test('with types only, another type, a missing field and another status are reported', async () => {
  const found = (altered: Altered): Promise<string[]> => differences('GET', search, altered, true);
  expect(await found({ body: (b) => (b.total = '3') })).toEqual(['retyped total: number, not string']);
  expect(await found({ body: (b) => delete b.total })).toEqual(['extra total']);
  expect(await found({ body: (b) => (b.questions[0].from = null) })).toEqual([]);
  expect(await found({ status: 201 })).toEqual(['status 200, not 201']);
});
