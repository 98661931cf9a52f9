import {
  AuthenticationError,
  BadRequestError,
  ConversationBlockedError,
  DriverNotFoundError,
  ForbiddenError,
  ItemNotFoundError,
  NotFoundError,
  NoQuestionsError,
  QuestionNotOpenError,
  RateLimitError,
  ServerError,
  SubscriptionNotFoundError,
  UnexpectedResponseError,
  moderationOf,
} from 'marketplace-seller-sdk';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { stubbed } from '../support/stubs.ts';

// What the service sends beside its documents, and what the client makes of it. Other shapes of the same value: shapes-of-responses.test.ts.

type Call = (client: SellerClient) => PromiseLike<unknown>;
type Class = abstract new (...args: never[]) => Error;

/** JSON or a whole response; then a value with at least these fields, or an error. */
type Row = readonly [what: string, call: Call, sent: unknown, expected: unknown];

/** A value that is delivered, and reported as drift. */
const reported = (value: unknown) => ({ value, isReported: true });
const json = (status: number, body: unknown): Response => Response.json(body, { status });
const typed =
  (type: string) =>
  (body: string, status = 200) =>
    new Response(status === 204 ? null : body, { status, headers: { 'content-type': type } });
const [text, html, raw] = ['text/plain', 'text/html', 'application/json'].map(typed) as [Typed, Typed, Typed];
type Typed = ReturnType<typeof typed>;
const nothing = (status = 204): Response => raw('', status);
const failed = (status: number, error: string, message: string, cause: unknown = []): object => {
  return { message, error, status, cause };
};

const at = '2026-03-01T10:00:00.000-0400';
const item = { site_id: 'MLA', item_id: 'MLA100' };
const user = { site_id: 'MLA', user_id: 7 };
const last = { last: 2, unit: 'day' } as const;
const period = { date_from: at, date_to: at };
const whose = { ...user, service_id: 1001 };
const place = { pack_id: 2000000012345678, user_id: 7 };

const search: Call = ({ questions }) => questions.search({ seller_id: 7 }).toArray();
const get: Call = ({ questions }) => questions.get({ question_id: 42 });
const ask: Call = ({ questions }) => questions.ask({ item_id: 'MLA100', text: 'Hay?' });
const answer: Call = ({ questions }) => questions.answer({ question_id: 42, text: 'Hay.' });
const remove: Call = ({ questions }) => questions.delete({ question_id: 42 });
const blacklist: Call = ({ questions }) => questions.blacklist.list({ seller_id: 7 }).toArray();
const responseTime: Call = ({ questions }) => questions.responseTime({ user_id: 7 });
const conversation: Call = ({ messages }) => messages.conversation(place).toArray();
const getMessage: Call = ({ messages }) => messages.get({ message_id: '5f1b' });
const send: Call = ({ messages }) => messages.send({ ...place, to: { user_id: 31 }, text: 'Hola' });
const upload: Call = ({ messages }) => messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
const options: Call = ({ actionGuide }) => actionGuide.options({ pack_id: 1 });
const caps: Call = ({ actionGuide }) => actionGuide.caps({ pack_id: 1 });
const option: Call = ({ actionGuide }) => actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hola' });
const moderation = async (call: PromiseLike<unknown>): Promise<unknown> => moderationOf((await call) as never);
const subscriptions: Call = ({ flex }) => flex.subscriptions(user);
const configuration: Call = ({ flex }) =>
  flex.configuration({ ...whose, select: { zones: true, delivery_ranges: true } });
const setDelivery: Call = ({ flex }) => flex.setDelivery({ ...whose, delivery_window: 'same_day' });
const isEnabled: Call = ({ flex }) => flex.items.isEnabled(item);
const enable: Call = ({ flex }) => flex.items.enable(item);
const driver: Call = ({ flex }) => flex.driver({ site_id: 'MLA', shipment_id: 4 });
const total: Call = ({ contacts }) => contacts.phoneViews.ofItem({ item_id: 'MLA100', ...period });
const windowOfItem: Call = ({ contacts }) => contacts.phoneViews.windowOfItem({ item_id: 'MLA100', ...last });
const windowOfTwo: Call = ({ contacts }) =>
  contacts.questions.windowOfItem({ item_id: 'MLA100', ids: ['MLA100', 'MLA200'], ...last });
const currency: Call = ({ currencies }) => currencies.get({ id: 'ARS' });
const siteSearch: Call = ({ sites }) => sites.search({ site_id: 'MLA', q: 'silla' }).toArray();

const hit = { id: 42, seller_id: 7, item_id: 'MLA100', text: 'Hay?', status: 'UNANSWERED', date_created: at };
const question = { id: 42, text: 'Hi?', status: 'UNANSWERED' };
const message = { id: '5f1b', from: { user_id: 31 }, to: { user_id: 7 }, text: 'Hola', status: 'available' };
const legacy = { message_id: '5f1b', text: { plain: 'Hola' } };
const read = { id: '5f1b', text: 'Hola' };
const window = { item_id: 'MLA100', total: 3, last: 2, unit: 'day', results: [{ date: '2026-03-01', total: 3 }] };
const flex = { service_id: 738216, mode: 'FLEX', status: { id: 'in' } };
const turbo = { service_id: 738217, mode: 'TURBO', status: { id: 'pending' } };

const liveSearch = {
  total: 1,
  limit: 50,
  questions: [{ ...hit, tags: [], from: { id: 31 }, answer: null, suspected_spam: false }],
  filters: { limit: 50, offset: 0, api_version: '4', is_admin: false, sorts: [], caller: '7', client_id: '500' },
  available_filters: [{ id: 'status', name: 'Status', type: 'text', values: ['ANSWERED', 'BANNED'] }],
  available_sorts: ['item_id', 'from_id', 'date_created', 'seller_id'],
};
const liveConversation = {
  paging: { limit: 10, offset: 0, total: 1 },
  conversation_status: { path: '/packs/1', status: 'active', substatus: null, claim_ids: [], shipping_id: 40 },
  messages: [{ ...message, subject: null, message_attachments: null, message_resources: null }],
};
const ranges = { zones: [{ id: 'z1', selected: true }], delivery_ranges: { week: [{ from: '9', to: '13' }] } };
const blocked = (message: string, cause: unknown) => failed(403, 'conversation_blocked', message, cause);

const questions: readonly Row[] = [
  ['a search of the live service', search, liveSearch, [{ id: 42, answer: null }]],
  [
    'a search in results',
    search,
    { paging: { total: '1' }, results: [{ ...hit, id: '42' }] },
    [{ id: 42, seller_id: 7 }],
  ],
  ['a search whose paging is null', search, { paging: null, questions: [hit] }, [{ id: 42 }]],
  ['an asker without an id', search, { questions: [{ ...hit, from: {} }] }, reported([{ id: 42, from: {} }])],
  ['a search with 206', search, json(206, { total: 1, questions: [hit] }), [{ id: 42 }]],
  ['a search with a scroll id and no total', search, { scroll_id: 'abc', questions: [hit] }, [{ id: 42 }]],
  ['a question with buyer_id as digits', get, { ...hit, buyer_id: '31', from: null }, { id: 42, buyer_id: 31 }],
  ['a question whose answer is empty', get, { ...hit, answer: {} }, { id: 42, answer: {} }],
  ['a question whose answer is an empty list', get, { ...hit, answer: [] }, reported({ id: 42, answer: [] })],
  ['a question with only a text', get, { text: 'Hi?' }, { id: 42, text: 'Hi?' }],
  ['a question with only a status', get, { status: 'BANNED' }, { id: 42, status: 'BANNED' }],
  ['a question with only an answer', get, { answer: { text: 'Hi' } }, { id: 42, answer: { text: 'Hi' } }],
  ['a question with its id as text', get, { ...question, id: '42' }, question],
  ['nothing of a question', get, {}, UnexpectedResponseError],
  ['`null` for a question', get, null, UnexpectedResponseError],
  ['a text for a question', get, 'UNANSWERED', UnexpectedResponseError],
  ['a number for a question', get, 42, UnexpectedResponseError],
  ['no question', get, [], UnexpectedResponseError],
  ['several questions', get, [question, question], UnexpectedResponseError],
  ['an asked question in `question`', ask, { question }, question],
  ['an asked question in a list', ask, [question], question],
  ['an asked question with 201 and nothing', ask, nothing(201), undefined],
  ['an asked question as its id', ask, json(201, 42), 42],
  ['an answer with 204', answer, nothing(), undefined],
  ['an answer as text', answer, text('OK'), 'OK'],
  ['an answer with fields of other types', answer, { ...hit, id: '42', from: {} }, reported({ id: 42 })],
  ['an answer in `question`', answer, { question: { ...question, id: '42' } }, question],
  ['an answer in a list in `question`', answer, { question: [question] }, question],
  ['an answer with an id and another `question`', answer, { ...question, question: { id: 1 } }, question],
  ['an answer with `null` as its id', answer, { ...question, id: null, question_id: 42 }, question],
  ['an answer without any id', answer, { text: 'Hi?', question: null }, { text: 'Hi?', question: null }],
  ['an answer of `null`', answer, { question_id: null, ok: 1 }, { question_id: null, ok: 1 }],
  ['a list of several after answering', answer, [question, question], [question, question]],
  ['an undocumented list after answering', answer, ['done'], ['done']],
  ['`null` after answering', answer, null, null],
  ['an undocumented object after answering', answer, { id: {} }, reported({ id: {} })],
  ['an answer that is an error as 200', answer, failed(400, 'not_unanswered_question', 'No'), QuestionNotOpenError],
  ['a question that is an error as 200', get, failed(404, 'not_found', 'Not found'), NotFoundError],
  [
    'a hidden question with an error as 200',
    (client) => client.questions.hide({ question_id: 42 }),
    failed(403, 'forbidden', 'Not yours'),
    ForbiddenError,
  ],
  ['a deletion as a list', remove, ['The question was deleted'], ['The question was deleted']],
  ['a deletion as an object', remove, { message: 'deleted' }, reported({ message: 'deleted' })],
  ['a deletion as a sentence', remove, 'Question deleted.', reported('Question deleted.')],
  ['a deletion as plain text', remove, text('Question deleted.'), reported('Question deleted.')],
  ['a deletion with 204', remove, nothing(), undefined],
  ['a blacklist in results', blacklist, { results: [{ user_id: '31' }], paging: { total: 1 } }, [{ id: 31 }]],
  ['a blacklist of ids', blacklist, [31, '32'], [{ id: 31 }, { id: 32 }]],
  ['an empty blacklist as null', blacklist, null, []],
  ['an empty blacklist with 204', blacklist, nothing(), []],
  ['a blacklist under another name', blacklist, { blocked_users: [{ id: 31 }], paging: { total: 1 } }, reported([])],
  [
    'a blocked user with 201 and text',
    (client) => client.questions.blacklist.add({ seller_id: 7, user_id: 31 }),
    text('created', 201),
    'created',
  ],
  [
    'a response time with decimals',
    responseTime,
    { total: { response_time: 45.5 } },
    reported({ total: { response_time: 45.5 } }),
  ],
  ['a response time without its user', responseTime, { total: { response_time: 5 } }, { total: { response_time: 5 } }],
  [
    'no response time',
    responseTime,
    json(404, failed(404, 'not_found', 'The user does not have questions')),
    NoQuestionsError,
  ],
];

const messages: readonly Row[] = [
  ['a conversation of the live service', conversation, liveConversation, [{ id: '5f1b' }]],
  ['a conversation without messages', conversation, { paging: { total: 0 }, messages: null }, []],
  ['a conversation with 204', conversation, nothing(), []],
  ['a conversation as null', conversation, null, []],
  ['a conversation as a list', conversation, [message], [read]],
  ['a conversation in results', conversation, { results: [message], paging: { total: 1 } }, [read]],
  ['a conversation in messages, beside other results', conversation, { messages: [message], results: 'none' }, [read]],
  ['a legacy message with a text', getMessage, { ...legacy, text: 'Hola', moderation: null, attachments: null }, read],
  ['a legacy message in results', getMessage, { paging: { total: 1 }, results: [legacy] }, read],
  [
    'a legacy message with validations',
    getMessage,
    { ...legacy, attachments_validations: { invalid_size: [{}] } },
    read,
  ],
  ['the legacy message with the id, of several', getMessage, [{ ...legacy, message_id: 'a' }, legacy], read],
  ['a message with a participant as an id', getMessage, { ...message, from: 31 }, reported({ ...read, from: 31 })],
  ['a wrapped message without its id', getMessage, { messages: [{ text: 'Hola' }] }, read],
  ['nothing of a message', getMessage, { messages: [{}] }, UnexpectedResponseError],
  ['another message', getMessage, { messages: [{ ...message, id: 'a' }] }, UnexpectedResponseError],
  ['several other messages', getMessage, ['a', 'c'].map((id) => ({ ...message, id })), UnexpectedResponseError],
  ['a sent message as its id', send, json(201, '5f1b'), '5f1b'],
  ['a sent message with 202', send, nothing(202), undefined],
  ['a sent message with 204', send, nothing(), undefined],
  ['a sent message in a list', send, [read], read],
  ['a sent legacy message in a list', send, json(201, [{ ...legacy, status: 'available' }]), read],
  [
    'a sent legacy message without an id',
    send,
    { moderation: { status: 'x' } },
    { message_moderation: { status: 'x' } },
  ],
  ['a sent message in `messages`', send, { paging: null, messages: [read] }, read],
  ['a sent message in `message`', send, { message: read }, read],
  ['a sent message without an id', send, { status: 'available', text: 'Hi' }, { status: 'available', text: 'Hi' }],
  ['a sent message that is only a status', send, { status: 'moderated' }, { status: 'moderated' }],
  ['another response to a sent message', send, { ok: true }, { ok: true }],
  ['a list of several after sending', send, [read, read], reported([read, read])],
  ['a sent message that is an error as 200', send, blocked('No', 'blocked_by_time'), ConversationBlockedError],
  ['a list of causes', send, json(403, blocked('No', [{ code: 'blocked_by_mediation' }])), ConversationBlockedError],
  ['a page of HTML with 403', send, html('<html>Forbidden</html>', 403), ForbiddenError],
  ['a stored file as text', upload, text('7_abc.pdf', 201), { id: '7_abc.pdf' }],
  ['a stored file in `file_id`', upload, json(201, { file_id: '7_abc.pdf' }), UnexpectedResponseError],
  ['an upload in a list of objects', upload, [{ id: 'file-1.pdf' }], { id: 'file-1.pdf' }],
  ['options as a bare list', options, [{ id: 'OTHER', cap_available: '1' }], { options: [{ cap_available: 1 }] }],
  [
    'templates as ids',
    options,
    { options: [{ id: 'NEW', templates: ['T1'] }] },
    reported({ options: [{ id: 'NEW' }] }),
  ],
  ['caps as digits', caps, [{ option_id: 'OTHER', cap_available: '0' }], [{ option_id: 'OTHER', cap_available: 0 }]],
  ['caps that are null', caps, [{ option_id: 'OTHER', cap_available: null }], [{ cap_available: null }]],
  ['caps that are absent', caps, [{ option_id: 'OTHER' }], [{ option_id: 'OTHER' }]],
  ['caps in an object', caps, { caps_available: [{ option_id: 'OTHER', cap_available: 1 }] }, [{ cap_available: 1 }]],
  ['caps by option', caps, { OTHER: 1, REQUEST_VARIANTS: 0 }, UnexpectedResponseError],
  ['caps with 204', caps, nothing(), []],
  ['no caps', caps, null, []],
  [
    'an option that is only a moderation',
    (client) => moderation(option(client)),
    { message_moderation: { status: 'REJECTED' } },
    'rejected',
  ],
  ['a moderated message as a word', () => moderation(Promise.resolve('moderated')), null, 'rejected'],
  ['an option with 201 and text', option, text('available', 201), 'available'],
  ['an option in a list', option, [legacy], read],
  ['an option without an id', option, { status: 'available', text: 'Hi' }, { status: 'available', text: 'Hi' }],
  ['an option with `null` as its id', option, { id: null, status: 'available' }, { id: null, status: 'available' }],
  ['an option without a body', option, nothing(), undefined],
];

const shipping: readonly Row[] = [
  ['subscriptions in results', subscriptions, { results: [{ ...flex, service_id: '738216' }] }, [flex]],
  [
    'subscriptions in other letters',
    subscriptions,
    [{ ...flex, mode: 'flex', status: { id: 'IN' } }],
    [{ mode: 'flex' }],
  ],
  ['one subscription as an object', subscriptions, { service_id: 1001, mode: 'FLEX' }, [{ service_id: 1001 }]],
  ['subscriptions with a UUID', subscriptions, [{ ...flex, id: '9f1c-4a' }], [{ ...flex, id: '9f1c-4a' }]],
  ['subscriptions with digits', subscriptions, [{ ...flex, id: '12' }], [{ ...flex, id: 12 }]],
  ['wrapped subscriptions', subscriptions, { subscriptions: [flex, turbo] }, [flex, turbo]],
  ['a state that is text', subscriptions, [{ ...flex, status: 'in' }, turbo], [flex, turbo]],
  [
    'a state of another type',
    subscriptions,
    [{ ...turbo, status: 5 }, flex],
    reported([{ ...turbo, status: 5 }, flex]),
  ],
  ['no subscriptions', subscriptions, [], []],
  ['no subscriptions with 204', subscriptions, nothing(), []],
  [
    'a configuration in data',
    configuration,
    { data: { configuration: { zones: null } }, errors: null },
    { zones: null },
  ],
  ['hours in digits', configuration, { configuration: ranges }, { delivery_ranges: { week: [{ from: 9, to: 13 }] } }],
  ['a configuration that is null', configuration, { configuration: null }, UnexpectedResponseError],
  ['a delivery that is set with 204', setDelivery, nothing(), undefined],
  [
    'a delivery that is rejected as 200',
    setDelivery,
    failed(404, 'not_found', "can't update delivery custom"),
    SubscriptionNotFoundError,
  ],
  [
    'zones that are added with their list',
    (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
    { zones: [{ id: 'z' }] },
    { zones: [{ id: 'z' }] },
  ],
  ['an item in Flex with 200 and nothing', isEnabled, nothing(200), true],
  ['an item in Flex with 204', isEnabled, nothing(), true],
  ['an item in Flex as text', isEnabled, 'true', true],
  ['an item with an undocumented body', isEnabled, { id: 'MLA100' }, true],
  ['an item with the status active', isEnabled, { status: 'active' }, true],
  ['an item with the status inactive', isEnabled, { status: 'inactive' }, false],
  ['an item with the status OUT', isEnabled, { status: 'OUT' }, false],
  ['an item that is enabled with 200 and a text', enable, text('ok'), undefined],
  ['an item that does not exist', enable, json(404, { message: 'item not found' }), ItemNotFoundError],
  ['a driver as digits', driver, { driver_id: '900', name: 'A' }, { driver_id: 900 }],
  ['a driver in a list of one', driver, [{ driver_id: 900 }], { driver_id: 900 }],
  ['no driver in an empty object', driver, {}, DriverNotFoundError],
  ['no driver as null', driver, { driver_id: null }, DriverNotFoundError],
  ['no driver with 204', driver, nothing(), DriverNotFoundError],
];

const common: readonly Row[] = [
  ['a total as digits', total, { ...period, item_id: 'MLA100', total: '53' }, { total: 53 }],
  ['a total with a date of another type', total, { total: '3', date_from: 5 }, reported({ total: 3 })],
  ['a total in a list of one', total, [{ item_id: 'MLA100', total: 53 }], { total: 53 }],
  [
    'a total of a user in a list of one',
    (client) => client.contacts.questions.ofUser({ user_id: 7, ...period }),
    [{ user_id: 7, total: 53 }],
    { total: 53 },
  ],
  ['a window whose last is digits', windowOfItem, { ...window, last: '2' }, { last: 2 }],
  ['a window in a list of one', windowOfItem, [window], { total: 3 }],
  ['a window without results', windowOfItem, { ...window, results: null }, { total: 3, results: null }],
  ['one window of two items', windowOfTwo, window, window],
  ['one window of two items, in a list', windowOfTwo, [window], window],
  ['two windows', windowOfTwo, [window, { ...window, item_id: 'MLA200' }], [window, { item_id: 'MLA200' }]],
  [
    'a status with 206 and a code',
    (client) => client.items.status({ ids: ['MLA100'] }),
    json(206, [{ code: '200', body: { status: 'active' } }]),
    [{ id: 'MLA100', status: 'active', code: 200 }],
  ],
  ['a byte order mark', (client) => client.currencies.list(), raw('\ufeff[{"id":"ARS"}]'), [{ id: 'ARS' }]],
  ['a currency in a list of one', currency, [{ id: 'ARS', decimal_places: '2' }], { id: 'ARS', decimal_places: 2 }],
  ['a site search of ids', siteSearch, { paging: { total: 1 }, results: ['MLA1'] }, UnexpectedResponseError],
  ['a site search with nothing', siteSearch, nothing(200), []],
  ['a site search as a list', siteSearch, [{ id: 'MLA1' }], [{ id: 'MLA1' }]],
  ['prices as text', siteSearch, { results: [{ id: 'MLA1', price: '10.50' }] }, [{ price: 10.5 }]],
  ['a description with 204', (client) => client.describe({ path: '/currencies' }), nothing(), {}],
  ['a 401 with not_found', get, json(401, { error: 'not_found', message: 'invalid_token' }), AuthenticationError],
  ['a 429 as text', get, text('Too many requests', 429), RateLimitError],
  ['a 400 with nothing', answer, nothing(400), BadRequestError],
  ['a 503 of a proxy', get, text('upstream connect error', 503), ServerError],
  ['a page of HTML with 200', get, html('<html>Sign in</html>'), UnexpectedResponseError],
  ['a page of HTML for a write', answer, html('<html>Sign in</html>'), UnexpectedResponseError],
];

test.each([...questions, ...messages, ...shipping, ...common])('%s', async (_, call, sent, expected) => {
  const drifts: Drift[] = [];
  const response = sent instanceof Response ? sent : Response.json(sent);
  const { sellerClient } = stubbed([response], { maxRetries: 0, onDrift: (drift) => void drifts.push(drift) });
  const found: unknown = await Promise.resolve(call(sellerClient)).catch((error: unknown) => error);
  const isDrift = typeof expected === 'object' && expected !== null && 'isReported' in expected;
  const delivered = isDrift ? (expected as ReturnType<typeof reported>).value : expected;
  if (typeof delivered === 'function') expect(found).toBeInstanceOf(delivered as Class);
  else if (found instanceof Error) throw found;
  else if (typeof delivered === 'object') expect(found).toMatchObject(delivered!);
  else expect(found).toBe(delivered);
  expect(drifts.length > 0).toBe(isDrift);
});
