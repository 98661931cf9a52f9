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
  SellerClient,
  ServerError,
  SubscriptionNotFoundError,
  UnexpectedResponseError,
  moderationOf,
} from 'marketplace-seller-sdk';
import type { Drift } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';

type Call = (client: SellerClient) => PromiseLike<unknown>;
type Class = abstract new (...args: never[]) => Error;

/** What a service on this machine sends, and what the public client makes of it: a value with these fields, or an error. */
interface Row {
  readonly call: Call;
  readonly status?: number;
  /** JSON, or the text as it is sent. */
  readonly body?: unknown;
  readonly type?: string;
  readonly delivered?: unknown;
  readonly error?: Class;
  /** Whether a drift is reported. */
  readonly drifts?: true;
}

const at = '2026-03-01T10:00:00.000-0400';
const item = { site_id: 'MLA', item_id: 'MLA100' };
const user = { site_id: 'MLA', user_id: 7 };
const window = { last: 2, unit: 'day' } as const;
const period = { date_from: at, date_to: at };
const whose = { ...user, service_id: 1001 };
const place = { pack_id: 2000000012345678, user_id: 7 };

const search: Call = (client) => client.questions.search({ seller_id: 7 }).toArray();
const get: Call = (client) => client.questions.get({ question_id: 42 });
const ask: Call = (client) => client.questions.ask({ item_id: 'MLA100', text: 'Hay?' });
const answer: Call = (client) => client.questions.answer({ question_id: 42, text: 'Hay.' });
const remove: Call = (client) => client.questions.delete({ question_id: 42 });
const hide: Call = (client) => client.questions.hide({ question_id: 42 });
const blacklist: Call = (client) => client.questions.blacklist.list({ seller_id: 7 }).toArray();
const block: Call = (client) => client.questions.blacklist.add({ seller_id: 7, user_id: 31 });
const responseTime: Call = (client) => client.questions.responseTime({ user_id: 7 });
const conversation: Call = (client) => client.messages.conversation(place).toArray();
const getMessage: Call = (client) => client.messages.get({ message_id: '5f1b' });
const send: Call = (client) => client.messages.send({ ...place, to: { user_id: 31 }, text: 'Hola' });
const upload: Call = (client) => client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' });
const options: Call = (client) => client.actionGuide.options({ pack_id: 1 });
const caps: Call = (client) => client.actionGuide.caps({ pack_id: 1 });
const option: Call = (client) => client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hola' });
const optionModeration: Call = async (client) =>
  moderationOf(await client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hola' }));
const subscriptions: Call = (client) => client.flex.subscriptions(user);
const configuration: Call = (client) =>
  client.flex.configuration({ ...whose, select: { zones: true, delivery_ranges: true } });
const setDelivery: Call = (client) => client.flex.setDelivery({ ...whose, delivery_window: 'same_day' });
const addZones: Call = (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] });
const isEnabled: Call = (client) => client.flex.items.isEnabled(item);
const enable: Call = (client) => client.flex.items.enable(item);
const driver: Call = (client) => client.flex.driver({ site_id: 'MLA', shipment_id: 4 });
const total: Call = (client) => client.contacts.phoneViews.ofItem({ item_id: 'MLA100', ...period });
const totalOfUser: Call = (client) => client.contacts.questions.ofUser({ user_id: 7, ...period });
const windowOfItem: Call = (client) => client.contacts.phoneViews.windowOfItem({ item_id: 'MLA100', ...window });
const windowOfUser: Call = (client) => client.contacts.questions.windowOfUser({ user_id: 7, ...window });
const windowOfItems: Call = (client) =>
  client.contacts.phoneViews.windowOfItems({ ids: ['MLA100', 'MLA200'], ...window });
const itemStatus: Call = (client) => client.items.status({ ids: ['MLA100'] });
const currencies: Call = (client) => client.currencies.list();
const currency: Call = (client) => client.currencies.get({ id: 'ARS' });
const siteSearch: Call = (client) => client.sites.search({ site_id: 'MLA', q: 'silla' }).toArray();
const describeOf: Call = (client) => client.describe({ path: '/currencies' });

const hit = { id: 42, seller_id: 7, item_id: 'MLA100', text: 'Hay?', status: 'UNANSWERED', date_created: at };
const message = { id: '5f1b', from: { user_id: 31 }, to: { user_id: 7 }, text: 'Hola', status: 'available' };
const oneWindow = { item_id: 'MLA100', total: 3, last: 2, unit: 'day', results: [{ date: '2026-03-01', total: 3 }] };
const errorBody = (status: number, error: string, message: string, cause: unknown = []): object => {
  return { message, error, status, cause };
};

const rows: Readonly<Record<string, Row>> = {
  // Questions
  'a search of the live service': {
    call: search,
    body: {
      total: 1,
      limit: 50,
      questions: [{ ...hit, tags: [], from: { id: 31 }, answer: null, suspected_spam: false }],
      filters: { limit: 50, offset: 0, api_version: '4', is_admin: false, sorts: [], caller: '7', client_id: '500' },
      available_filters: [{ id: 'status', name: 'Status', type: 'text', values: ['ANSWERED', 'BANNED'] }],
      available_sorts: ['item_id', 'from_id', 'date_created', 'seller_id'],
    },
    delivered: [{ id: 42, answer: null }],
  },
  'a search in paging and results, with digits': {
    call: search,
    body: { paging: { total: '1', offset: '0', limit: '50' }, results: [{ ...hit, id: '42', seller_id: '7' }] },
    delivered: [{ id: 42, seller_id: 7 }],
  },
  'a search whose paging is null': {
    call: search,
    body: { paging: null, questions: [hit] },
    delivered: [{ id: 42 }],
  },
  'an asker without an id': {
    call: search,
    body: { total: 1, questions: [{ ...hit, from: { answered_questions: 3 } }] },
    delivered: [{ id: 42, from: { answered_questions: 3 } }],
    drifts: true,
  },
  'a search with 206': { call: search, status: 206, body: { total: 1, questions: [hit] }, delivered: [{ id: 42 }] },
  'a search with a scroll id and no total': {
    call: search,
    body: { scroll_id: 'abc', questions: [hit] },
    delivered: [{ id: 42 }],
  },
  'a question with buyer_id as digits': {
    call: get,
    body: { ...hit, buyer_id: '31', from: null, app_id: '500', last_updated: at },
    delivered: { id: 42, buyer_id: 31 },
  },
  'a question in a list of one': { call: get, body: [hit], delivered: { id: 42 } },
  'a question whose answer is empty': { call: get, body: { ...hit, answer: {} }, delivered: { id: 42, answer: {} } },
  'a question whose answer is an empty list': {
    call: get,
    body: { ...hit, answer: [] },
    delivered: { id: 42, answer: [] },
    drifts: true,
  },
  'an asked question with 201 and nothing': { call: ask, status: 201, body: '', delivered: undefined },
  'an asked question as its id': { call: ask, status: 201, body: 42, delivered: 42 },
  'an answer with 204': { call: answer, status: 204, body: '', delivered: undefined },
  'an answer as text': { call: answer, body: 'OK', type: 'text/plain', delivered: 'OK' },
  'an answer that is an error as 200': {
    call: answer,
    body: errorBody(400, 'not_unanswered_question', 'Question 42 is not unanswered'),
    error: QuestionNotOpenError,
  },
  'a question that is an error as 200': {
    call: get,
    body: errorBody(404, 'not_found', 'Not found'),
    error: NotFoundError,
  },
  'a hidden question with an error as 200': {
    call: hide,
    body: errorBody(403, 'forbidden', 'Not yours'),
    error: ForbiddenError,
  },
  'a deletion as a sentence': { call: remove, body: 'Question deleted.', delivered: 'Question deleted.', drifts: true },
  'a deletion as plain text': {
    call: remove,
    body: 'Question deleted.',
    type: 'text/plain',
    delivered: 'Question deleted.',
    drifts: true,
  },
  'a deletion with 204': { call: remove, status: 204, body: '', delivered: undefined },
  'a blacklist of ids': { call: blacklist, body: [31, '32'], delivered: [{ id: 31 }, { id: 32 }] },
  'a blacklist of user_id': {
    call: blacklist,
    body: { results: [{ user_id: '31' }], paging: { total: 1 } },
    delivered: [{ id: 31 }],
  },
  'an empty blacklist as null': { call: blacklist, body: null, delivered: [] },
  'an empty blacklist with 204': { call: blacklist, status: 204, body: '', delivered: [] },
  'a blacklist under another name': {
    call: blacklist,
    body: { blocked_users: [{ id: 31 }], paging: { total: 1, offset: 0, limit: 50 } },
    delivered: [],
    drifts: true,
  },
  'a blocked user with 201 and text': {
    call: block,
    status: 201,
    body: 'created',
    type: 'text/plain',
    delivered: 'created',
  },
  'a response time with decimals': {
    call: responseTime,
    body: { user_id: '7', total: { response_time: 45.5 }, weekend: null },
    delivered: { user_id: 7, total: { response_time: 45.5 } },
    drifts: true,
  },
  'a response time without questions': {
    call: responseTime,
    status: 404,
    body: errorBody(404, 'not_found', 'The user does not have questions'),
    error: NoQuestionsError,
  },

  // Messages
  'a conversation of the live service': {
    call: conversation,
    body: {
      paging: { limit: 10, offset: 0, total: 1 },
      conversation_status: { path: '/packs/1', status: 'active', substatus: null, claim_ids: [], shipping_id: 40 },
      messages: [{ ...message, subject: null, message_attachments: null, message_resources: null }],
    },
    delivered: [{ id: '5f1b' }],
  },
  'a conversation without messages': {
    call: conversation,
    body: { paging: { total: 0 }, messages: null },
    delivered: [],
  },
  'a conversation with 204': { call: conversation, status: 204, body: '', delivered: [] },
  'a legacy message with a text and several receivers': {
    call: getMessage,
    body: {
      message_id: '5f1b',
      text: 'Hola',
      to: [{ user_id: '7' }, { user_id: 8 }],
      moderation: null,
      attachments: null,
    },
    delivered: { id: '5f1b', text: 'Hola', to: { user_id: 7 }, recipients: [{ user_id: 7 }, { user_id: 8 }] },
  },
  'a legacy message in results': {
    call: getMessage,
    body: { paging: { total: 1 }, results: [{ message_id: '5f1b', text: { plain: 'Hola' } }] },
    delivered: { id: '5f1b', text: 'Hola' },
  },
  'a message with a participant as an id': {
    call: getMessage,
    body: { ...message, from: 31 },
    delivered: { id: '5f1b', from: 31 },
    drifts: true,
  },
  'a sent message as its id': { call: send, status: 201, body: '"5f1b"', delivered: '5f1b' },
  'a sent message with 202': { call: send, status: 202, body: '', delivered: undefined },
  'a sent legacy message in a list': {
    call: send,
    status: 201,
    body: [{ message_id: '5f1b', text: { plain: 'Hola' }, status: 'available' }],
    delivered: { id: '5f1b', text: 'Hola' },
  },
  'a sent message that is an error as 200': {
    call: send,
    body: errorBody(403, 'conversation_blocked', 'blocked_conversation_send_message_forbidden', 'blocked_by_time'),
    error: ConversationBlockedError,
  },
  'a blocked conversation with a list of causes': {
    call: send,
    status: 403,
    body: errorBody(403, 'conversation_blocked', 'Forbidden', [{ code: 'blocked_by_mediation', message: 'x' }]),
    error: ConversationBlockedError,
  },
  'a page of HTML with 403': {
    call: send,
    status: 403,
    body: '<html>Forbidden</html>',
    type: 'text/html',
    error: ForbiddenError,
  },
  'a stored file as text': {
    call: upload,
    status: 201,
    body: '7_abc.pdf',
    type: 'text/plain',
    delivered: { id: '7_abc.pdf' },
  },
  'a stored file in `file_id`': {
    call: upload,
    status: 201,
    body: { file_id: '7_abc.pdf' },
    error: UnexpectedResponseError,
  },
  'stored files in a list of names': { call: upload, status: 201, body: ['7_abc.pdf'], delivered: { id: '7_abc.pdf' } },

  // Action guide
  'options as a bare list': {
    call: options,
    body: [{ id: 'OTHER', cap_available: '1' }],
    delivered: { options: [{ id: 'OTHER', cap_available: 1 }] },
  },
  'options with a new option and templates as ids': {
    call: options,
    body: { options: [{ id: 'NEW', type: 'TEMPLATE', templates: ['TEMPLATE___NEW___1'], enabled: 'true' }] },
    delivered: { options: [{ id: 'NEW' }] },
    drifts: true,
  },
  'caps as digits': {
    call: caps,
    body: [{ option_id: 'OTHER', cap_available: '0' }],
    delivered: [{ option_id: 'OTHER', cap_available: 0 }],
  },
  'caps by option': { call: caps, body: { OTHER: 1, REQUEST_VARIANTS: 0 }, error: UnexpectedResponseError },
  'caps with 204': { call: caps, status: 204, body: '', delivered: [] },
  'an option that is only a moderation': {
    call: optionModeration,
    body: { message_moderation: { status: 'REJECTED' } },
    delivered: 'rejected',
  },
  'an option with 201 and text': {
    call: option,
    status: 201,
    body: 'available',
    type: 'text/plain',
    delivered: 'available',
  },

  // Flex
  'subscriptions by mode in upper-case states': {
    call: subscriptions,
    body: { results: [{ service_id: '1001', mode: 'flex', status: { id: 'IN' } }] },
    delivered: [{ service_id: 1001, status: { id: 'IN' } }],
  },
  'one subscription as an object': {
    call: subscriptions,
    body: { service_id: 1001, mode: 'FLEX' },
    delivered: [{ service_id: 1001 }],
  },
  'no subscriptions with 204': { call: subscriptions, status: 204, body: '', delivered: [] },
  'a configuration in data, with errors that are null': {
    call: configuration,
    body: { data: { configuration: { zones: null, delivery_ranges: { week: null } } }, errors: null },
    delivered: { zones: null, delivery_ranges: { week: null } },
  },
  'a configuration with digits': {
    call: configuration,
    body: {
      configuration: { zones: [{ id: 'z1', selected: true }], delivery_ranges: { week: [{ from: '9', to: '13' }] } },
    },
    delivered: { zones: [{ id: 'z1' }], delivery_ranges: { week: [{ from: 9, to: 13 }] } },
  },
  'a configuration that is null': {
    call: configuration,
    body: { configuration: null },
    error: UnexpectedResponseError,
  },
  'a delivery that is set with 204': { call: setDelivery, status: 204, body: '', delivered: undefined },
  'a delivery that is rejected as 200': {
    call: setDelivery,
    body: errorBody(404, 'not_found', "can't update delivery custom"),
    error: SubscriptionNotFoundError,
  },
  'zones that are added with their list': {
    call: addZones,
    body: { zones: [{ id: 'z' }] },
    delivered: { zones: [{ id: 'z' }] },
  },
  'an item in Flex with 200 and nothing': { call: isEnabled, body: '', delivered: true },
  'an item in Flex as text': { call: isEnabled, body: 'true', delivered: true },
  'an item that is not in Flex as false': { call: isEnabled, body: 'false', delivered: false },
  'an item that is enabled with 200 and a text': { call: enable, body: 'ok', type: 'text/plain', delivered: undefined },
  'an item that does not exist': {
    call: enable,
    status: 404,
    body: { message: 'item not found' },
    error: ItemNotFoundError,
  },
  'a driver as digits': { call: driver, body: { driver_id: '900', name: 'A' }, delivered: { driver_id: 900 } },
  'a driver in a list of one': { call: driver, body: [{ driver_id: 900 }], delivered: { driver_id: 900 } },
  'no driver in an empty object': { call: driver, body: {}, error: DriverNotFoundError },
  'no driver with 204': { call: driver, status: 204, body: '', error: DriverNotFoundError },

  // Contacts
  'a total as digits': { call: total, body: { ...period, item_id: 'MLA100', total: '53' }, delivered: { total: 53 } },
  'a total in a list of one': { call: total, body: [{ item_id: 'MLA100', total: 53 }], delivered: { total: 53 } },
  'a total of a user in a list of one': {
    call: totalOfUser,
    body: [{ user_id: 7, total: 53 }],
    delivered: { total: 53 },
  },
  'a window whose last is digits': { call: windowOfItem, body: { ...oneWindow, last: '2' }, delivered: { last: 2 } },
  'a window in a list of one': { call: windowOfUser, body: [oneWindow], delivered: { total: 3 } },
  'a window without results': {
    call: windowOfItem,
    body: { ...oneWindow, results: null },
    delivered: { total: 3, results: null },
  },
  'windows of one item as an object': { call: windowOfItems, body: oneWindow, delivered: [{ item_id: 'MLA100' }] },
  'windows in results': {
    call: windowOfItems,
    body: { results: [oneWindow, { ...oneWindow, item_id: 'MLA200' }] },
    delivered: [{ item_id: 'MLA100' }, { item_id: 'MLA200' }],
  },
  'no windows as null': { call: windowOfItems, body: null, delivered: [] },

  // Common
  'a status with 206 and a code': {
    call: itemStatus,
    status: 206,
    body: [{ code: '200', body: { status: 'active' } }],
    delivered: [{ id: 'MLA100', status: 'active', code: 200 }],
  },
  'currencies with a byte order mark': { call: currencies, body: '\ufeff[{"id":"ARS"}]', delivered: [{ id: 'ARS' }] },
  'currencies in results': { call: currencies, body: { results: [{ id: 'ARS' }] }, delivered: [{ id: 'ARS' }] },
  'a currency in a list of one': {
    call: currency,
    body: [{ id: 'ARS', decimal_places: '2' }],
    delivered: { id: 'ARS', decimal_places: 2 },
  },
  'a site search of ids': {
    call: siteSearch,
    body: { paging: { total: 1 }, results: ['MLA1'] },
    error: UnexpectedResponseError,
  },
  'a site search with prices as text': {
    call: siteSearch,
    body: { paging: { total: 1 }, results: [{ id: 'MLA1', price: '10.50' }] },
    delivered: [{ price: 10.5 }],
  },
  'a description with 204': { call: describeOf, status: 204, body: '', delivered: {} },

  // Errors
  'a 401 with not_found': {
    call: get,
    status: 401,
    body: { error: 'not_found', message: 'invalid_token' },
    error: AuthenticationError,
  },
  'a 429 as text': { call: get, status: 429, body: 'Too many requests', type: 'text/plain', error: RateLimitError },
  'a 400 with nothing': { call: answer, status: 400, body: '', error: BadRequestError },
  'a 503 of a proxy': {
    call: get,
    status: 503,
    body: 'upstream connect error',
    type: 'text/plain',
    error: ServerError,
  },
  'a page of HTML with 200': {
    call: get,
    body: '<html>Sign in</html>',
    type: 'text/html',
    error: UnexpectedResponseError,
  },
  'a page of HTML for a write': {
    call: answer,
    body: '<html>Sign in</html>',
    type: 'text/html',
    error: UnexpectedResponseError,
  },
};

test.each(Object.entries(rows))(
  '%s',
  async (_, { call, status = 200, body, type = 'application/json', ...expected }) => {
    const text =
      typeof body === 'string' && (body === '' || type !== 'application/json' || /^["[{\ufefft<f]/.test(body))
        ? body
        : JSON.stringify(body);
    const { url: baseUrl } = await startServer((response) => {
      response.writeHead(status, { 'content-type': type }).end(text);
    });
    const drifts: Drift[] = [];
    const client = new SellerClient({
      baseUrl,
      accessToken: 'token-1',
      maxRetries: 0,
      onDrift: (drift) => void drifts.push(drift),
    });
    const found: unknown = await Promise.resolve(call(client)).catch((error: unknown) => error);
    if (expected.error) expect(found).toBeInstanceOf(expected.error);
    else if (found instanceof Error) throw found;
    else if (typeof expected.delivered === 'object') expect(found).toMatchObject(expected.delivered!);
    else expect(found).toBe(expected.delivered);
    expect(drifts.length > 0).toBe(expected.drifts === true);
  },
);
