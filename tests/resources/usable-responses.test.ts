import { DriverNotFoundError, UnexpectedResponseError, moderationOf } from 'marketplace-seller-sdk';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

type Call = (client: SellerClient) => PromiseLike<unknown>;

const place = { pack_id: 1, user_id: 7 };
const user = { site_id: 'MLA', user_id: 7 };
const item = { site_id: 'MLA', item_id: 'MLA100' };
const window = { item_id: 'MLA100', last: 2, unit: 'day' } as const;

const send: Call = (client) => client.messages.send({ ...place, to: { user_id: 31 }, text: 'Hi' });
const option: Call = (client) => client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hi' });
const getMessage: Call = (client) => client.messages.get({ message_id: 'b' });
const upload: Call = (client) => client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
const caps: Call = (client) => client.actionGuide.caps({ pack_id: 1 });
const ask: Call = (client) => client.questions.ask({ item_id: 'MLA100', text: 'Hi?' });
const answer: Call = (client) => client.questions.answer({ question_id: 42, text: 'Hi' });
const getQuestion: Call = (client) => client.questions.get({ question_id: 42 });
const removeQuestion: Call = (client) => client.questions.delete({ question_id: 42 });
const responseTime: Call = (client) => client.questions.responseTime({ user_id: 7 });
const subscriptions: Call = (client) => client.flex.subscriptions(user);
const isEnabled: Call = (client) => client.flex.items.isEnabled(item);
const windowOfItem: Call = (client) => client.contacts.questions.windowOfItem({ ...window, ids: ['MLA100', 'MLA200'] });

const message = { id: 'b', text: 'Hi' };
const legacy = { message_id: 'b', text: { plain: 'Hi' }, moderation: { status: 'clean' } };
const question = { id: 42, text: 'Hi?', status: 'UNANSWERED' };
const oneWindow = { item_id: 'MLA100', total: 3 };

/** What a service sends, and what the client delivers: at least these fields. */
const rows: readonly (readonly [what: string, call: Call, body: unknown, delivered: unknown])[] = [
  ['a sent message in a list', send, [message], message],
  ['a sent legacy message in a list', send, [legacy], { id: 'b', text: 'Hi' }],
  ['a sent message in `messages`', send, { paging: null, messages: [message] }, message],
  ['a sent message in `message`', send, { message }, message],
  ['a sent message without an id', send, { status: 'available', text: 'Hi' }, { status: 'available', text: 'Hi' }],
  ['a sent message that is only a status', send, { status: 'moderated' }, { status: 'moderated' }],
  ['another response to a sent message', send, { ok: true }, { ok: true }],
  ['a list of several after sending', send, [message, message], [message, message]],
  ['no response to a sent message', send, undefined, undefined],
  ['an option in a list', option, [legacy], { id: 'b', text: 'Hi' }],
  ['an option without an id', option, { status: 'available', text: 'Hi' }, { status: 'available', text: 'Hi' }],
  ['an option with `null` as its id', option, { id: null, status: 'available' }, { id: null, status: 'available' }],
  ['an option that is only text', option, 'ok', 'ok'],
  ['an option without a body', option, undefined, undefined],
  ['the message with the id, of several', getMessage, { messages: [{ ...message, id: 'a' }, message] }, message],
  ['the legacy message with the id, of several', getMessage, [{ ...legacy, message_id: 'a' }, legacy], { id: 'b' }],
  ['a wrapped message without its id', getMessage, { messages: [{ text: 'Hi' }] }, message],
  ['an upload that is its id', upload, 'file-1.pdf', { id: 'file-1.pdf' }],
  ['an upload in a list', upload, [{ id: 'file-1.pdf' }], { id: 'file-1.pdf' }],
  ['an upload that is its id in a list', upload, ['file-1.pdf'], { id: 'file-1.pdf' }],
  ['an upload as `attachment_id`', upload, { attachment_id: 'file-1.pdf' }, { id: 'file-1.pdf' }],
  [
    'caps that are `null`',
    caps,
    [{ option_id: 'OTHER', cap_available: null }],
    [{ option_id: 'OTHER', cap_available: null }],
  ],
  ['caps that are absent', caps, [{ option_id: 'OTHER' }], [{ option_id: 'OTHER' }]],
  ['caps in an object', caps, { caps_available: [{ option_id: 'OTHER', cap_available: 1 }] }, [{ cap_available: 1 }]],
  ['no caps', caps, null, []],
  ['an asked question in `question`', ask, { question }, question],
  ['an asked question in a list', ask, [question], question],
  ['an answered question in `question`', answer, { question: { ...question, id: '42' } }, question],
  [
    'an answered question with `question_id`',
    answer,
    { question_id: 42, status: 'ANSWERED' },
    { id: 42, status: 'ANSWERED' },
  ],
  ['an answered question in a list in `question`', answer, { question: [question] }, question],
  ['an answered question with an id and another `question`', answer, { ...question, question: { id: 1 } }, question],
  ['an answered question with `null` as its id', answer, { ...question, id: null, question_id: 42 }, question],
  ['an answered question without any id', answer, { text: 'Hi?', question: null }, { text: 'Hi?', question: null }],
  ['an answered question of `null`', answer, { question_id: null, ok: 1 }, { question_id: null, ok: 1 }],
  ['a list of several after answering', answer, [question, question], [question, question]],
  ['a question with only a text', getQuestion, { text: 'Hi?' }, { id: 42, text: 'Hi?' }],
  ['a question with only a status', getQuestion, { status: 'BANNED' }, { id: 42, status: 'BANNED' }],
  ['a question with only an answer', getQuestion, { answer: { text: 'Hi' } }, { id: 42, answer: { text: 'Hi' } }],
  ['a question with `null` as its id', getQuestion, { ...question, id: null }, question],
  ['a question with `question_id`', getQuestion, { question_id: '42', text: 'Hi?' }, { id: 42, text: 'Hi?' }],
  ['a question with its id as text', getQuestion, { ...question, id: '42' }, question],
  ['a question without its id', getQuestion, { text: 'Hi?', status: 'UNANSWERED' }, question],
  ['a question in `question`', getQuestion, { question }, question],
  ['a deletion as a list', removeQuestion, ['The question was deleted'], ['The question was deleted']],
  ['a deletion as an object', removeQuestion, { message: 'deleted' }, { message: 'deleted' }],
  ['a response time without its user', responseTime, { total: { response_time: 5 } }, { total: { response_time: 5 } }],
  ['two windows', windowOfItem, [oneWindow, { ...oneWindow, item_id: 'MLA200' }], [oneWindow, { item_id: 'MLA200' }]],
  ['one window in a list', windowOfItem, [oneWindow], oneWindow],
  ['one window', windowOfItem, oneWindow, oneWindow],
  ['an item that is in Flex', isEnabled, undefined, true],
  ['an item with the status active', isEnabled, { status: 'active' }, true],
  ['an item with an undocumented body', isEnabled, { id: 'MLA100' }, true],
  ['an item with the status inactive', isEnabled, { status: 'inactive' }, false],
  ['an item with the status OUT', isEnabled, { status: 'OUT' }, false],
  ['an item with has_flex: false', isEnabled, { has_flex: false }, false],
  ['an item with enabled: false', isEnabled, { enabled: false }, false],
  ['an item with has_flex: true', isEnabled, { has_flex: true }, true],
];

const flex = { service_id: 738216, mode: 'FLEX', status: { id: 'in' } };
const turbo = { service_id: 738217, mode: 'TURBO', status: { id: 'pending' } };
const subscriptionRows: typeof rows = [
  ['subscriptions without an id', subscriptions, [flex], [flex]],
  ['subscriptions with a UUID', subscriptions, [{ ...flex, id: '9f1c-4a' }], [{ ...flex, id: '9f1c-4a' }]],
  ['subscriptions with digits', subscriptions, [{ ...flex, id: '12', service_id: '738216' }], [{ ...flex, id: 12 }]],
  ['wrapped subscriptions', subscriptions, { subscriptions: [flex, turbo] }, [flex, turbo]],
  ['a state that is text', subscriptions, [{ ...flex, status: 'in' }, turbo], [flex, turbo]],
  ['only a service', subscriptions, [{ service_id: 5 }], [{ service_id: 5 }]],
  ['a state of another type', subscriptions, [{ ...turbo, status: 5 }, flex], [{ ...turbo, status: 5 }, flex]],
  ['no subscriptions', subscriptions, [], []],
];

test.each([...rows, ...subscriptionRows])('%s is delivered', async (_, call, body, delivered) => {
  const response = body === undefined ? new Response(null, { status: 204 }) : Response.json(body);
  const { sellerClient } = stubbed([response], { maxRetries: 0 });
  const found = await call(sellerClient);
  if (typeof delivered === 'object') expect(found).toMatchObject(delivered!);
  else expect(found).toBe(delivered);
});

test('a subscription without a service is left out and reported, and the others are delivered', async () => {
  const drifts: Drift[] = [];
  const { sellerClient } = stubbed([Response.json([{ id: 1, mode: 'TURBO' }, flex])], {
    onDrift: (drift) => void drifts.push(drift),
  });
  const { data, response } = await sellerClient.flex.subscriptions(user).withResponse();
  expect([data, response.leftOut]).toEqual([[flex], 1]);
  expect(drifts).toMatchObject([{ path: [0, 'service_id'] }]);
});

describe('nothing wrong is delivered in silence', () => {
  test.each<[string, Call, unknown]>([
    ['another message than the one that was asked for', getMessage, { messages: [{ ...message, id: 'a' }] }],
    [
      'several other messages',
      getMessage,
      [
        { ...message, id: 'a' },
        { ...message, id: 'c' },
      ],
    ],
    ['nothing of a question', getQuestion, {}],
    ['`null` for a question', getQuestion, null],
    ['a text for a question', getQuestion, 'UNANSWERED'],
    ['a number for a question', getQuestion, 42],
    ['no question', getQuestion, []],
    ['several questions', getQuestion, [question, question]],
    ['nothing of a message', getMessage, { messages: [{}] }],
    ['an upload without an id', upload, { status: 'stored' }],
    ['an upload of several ids', upload, ['a', 'b']],
  ])('%s is an UnexpectedResponseError', async (_, call, body) => {
    const { sellerClient } = stubbed([Response.json(body)], { maxRetries: 0 });
    expect(await errorOf(call(sellerClient))).toBeInstanceOf(UnexpectedResponseError);
  });

  test('a driver that is `null` is a DriverNotFoundError', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ driver_id: null })]);
    const error = await errorOf(sellerClient.flex.driver({ site_id: 'MLA', shipment_id: 4 }));
    expect(error).toBeInstanceOf(DriverNotFoundError);
    expect(error).toMatchObject({ status: 404 });
    expect(sent).toHaveLength(1);
  });

  test('a message that is a word of moderation is read as its status', () => {
    expect(moderationOf('moderated')).toBe('rejected');
  });
});

const hide: Call = (client) => client.questions.hide({ question_id: 42 });
const block: Call = (client) => client.questions.blacklist.add({ seller_id: 7, user_id: 31 });
const unblock: Call = (client) => client.questions.blacklist.remove({ seller_id: 7, user_id: 31 });
const zones: Call = (client) => client.flex.addZones({ ...user, service_id: 1, zones: [{ id: 'z' }] });
const delivery: Call = (client) => client.flex.setDelivery({ ...user, service_id: 1, delivery_window: 'same_day' });
const enable: Call = (client) => client.flex.items.enable(item);
const disable: Call = (client) => client.flex.items.disable(item);
const writes: Readonly<Record<string, Call>> = {
  ...{ send, option, ask, answer, removeQuestion, hide, block, unblock, zones, delivery, enable, disable },
};

describe.each(Object.entries(writes))('a write that the service has carried out: %s', (_, write) => {
  test.each([
    ['plain text', 'ok'],
    ['a sentence', 'The request was processed.\n'],
    ['JSON text', '"ok"'],
    ['an empty body', ''],
    ['spaces', ' \n'],
    ['null', 'null'],
    ['a boolean', 'true'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['an empty list', '[]'],
    ['another object', '{"status":"success"}'],
    ['a list of several', '[{"a":1},{"a":2}]'],
  ])('succeeds with %s', async (_what, body) => {
    for (const status of [200, 201, 202]) {
      const { sellerClient } = stubbed([new Response(body, { status })], { maxRetries: 0 });
      await expect(write(sellerClient)).resolves.not.toThrow();
    }
  });

  test.each([
    ['a page of HTML', '<html>Sign in</html>'],
    ['half an object', '{"id": 42, "te'],
  ])('is an error with %s, which says that it is most likely done', async (_what, body) => {
    const { sellerClient, sent } = stubbed([new Response(body)], { maxRetries: 2 });
    const error = await errorOf<UnexpectedResponseError>(write(sellerClient));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('most likely carried out');
    expect(error.body).toBe(body);
    expect(sent).toHaveLength(1);
  });
});

describe('an upload that is stored', () => {
  test.each([
    ['its id as text', 'file-1.pdf', 'file-1.pdf'],
    ['its id as a line', '7_a96d8dea-38cd.pdf\n', '7_a96d8dea-38cd.pdf'],
    ['its id as JSON', '"file-1.pdf"', 'file-1.pdf'],
    ['a number', '42', '42'],
  ])('is usable with %s', async (_, body, id) => {
    const { sellerClient } = stubbed([new Response(body, { status: 201 })], { maxRetries: 0 });
    expect(await upload(sellerClient)).toEqual({ id });
  });

  test.each(['OK', 'The file was stored', '', '{"status":"stored"}', '<html></html>'])(
    'is an error that says so and holds the body without an id: %s',
    async (body) => {
      const { sellerClient } = stubbed([new Response(body)], { maxRetries: 0 });
      const error = await errorOf<UnexpectedResponseError>(upload(sellerClient));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toContain('most likely carried out');
      expect(error.body).toEqual(body === '' ? undefined : body.startsWith('{') ? JSON.parse(body) : body);
    },
  );
});
