import { beforeEach, describe, expect, test } from 'vitest';
import { call, marketplace, question, serveMarketplace, tokens } from '../support/plain-http.ts';
import type { Call } from '../support/plain-http.ts';

serveMarketplace();

type Kind = 'integer' | 'string' | 'timestamp' | 'boolean' | 'null' | 'object' | 'list' | 'digits';
/** The path of a field in a response, with its type or its value. */
type Fields = Readonly<Record<string, Kind | readonly [value: unknown]>>;

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'timestamp':
      return typeof value === 'string' && timestamp.test(value);
    case 'digits':
      return typeof value === 'string' && /^\d+$/.test(value);
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

function at(body: unknown, path: string): unknown {
  return path === ''
    ? body
    : path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);
}

/** One rule per field of a response. */
function responses(
  title: string,
  line: () => string,
  fields: Fields,
  given: () => Call = () => ({}),
  status = 200,
): void {
  describe(title, () => {
    test.each(Object.entries(fields))('%s', async (path, expected) => {
      const received = await call(line(), given());
      expect(received.status).toBe(status);
      const value = at(received.body, path);
      if (typeof expected === 'string') expect([path, value, isOf(expected, value)]).toEqual([path, value, true]);
      else expect(value).toEqual(expected[0]);
    });
  });
}

const post = '?tag=post_sale';

describe('Question', () => {
  responses('by id', () => `GET /questions/${question}`, {
    id: 'integer',
    seller_id: [1],
    item_id: ['MLA1'],
    text: ['Is there stock?'],
    status: ['UNANSWERED'],
    date_created: 'timestamp',
    deleted_from_listing: [false],
    hold: [false],
    'from.id': [2],
    'from.answered_questions': [0],
    answer: 'null',
  });
  responses(
    'answered',
    () => 'POST /answers',
    {
      status: ['ANSWERED'],
      'answer.text': ['Yes'],
      'answer.status': ['ACTIVE'],
      'answer.date_created': 'timestamp',
      'from.answered_questions': [1],
    },
    () => ({ body: { question_id: question, text: 'Yes' } }),
  );
  responses('in a search', () => 'GET /questions/search?item=MLA1&from=2&limit=5', {
    total: [1],
    limit: [5],
    questions: 'list',
    'questions.0.id': 'integer',
    'questions.0.status': ['UNANSWERED'],
    'questions.0.date_created': 'timestamp',
    'questions.0.from.id': [2],
    filters: 'object',
    available_filters: 'list',
    available_sorts: [['item_id', 'seller_id', 'from_id', 'date_created']],
    paging: [undefined],
    offset: [undefined],
  });
  responses(
    'just asked',
    () => 'POST /questions',
    { id: 'integer', text: ['In blue?'], status: ['UNANSWERED'], item_id: ['MLA1'], hold: [undefined] },
    () => ({ token: tokens.buyer, body: { item_id: 'MLA1', text: 'In blue?' } }),
    201,
  );
});

describe('Blacklist', () => {
  beforeEach(() => marketplace.questions.block(2, 1));
  responses('a list', () => 'GET /users/1/questions_blacklist', {
    'users.0.id': [2],
    'users.0.blocked_at': 'timestamp',
    paging: [{ total: 1, offset: 0, limit: 50 }],
  });
});

describe('Response time', () => {
  beforeEach(() => {
    marketplace.clock.advance({ hours: 2 });
    marketplace.questions.answer(question, 'Yes');
  });
  responses('of a seller', () => 'GET /users/1/questions/response_time', {
    user_id: [1],
    'total.response_time': [120],
    'total.sales_percent_increase': [undefined],
    'weekdays_working_hours.response_time': [120],
    'weekdays_working_hours.sales_percent_increase': 'integer',
    weekend: 'null',
    weekdays_extra_hours: [null],
  });
});

describe('Action guide', () => {
  responses('the options of a Flex sale', () => `GET /messages/action_guide/packs/900${post}`, {
    options: 'list',
    'options.0.id': ['REQUEST_BILLING_INFO'],
    'options.0.internal_description': 'string',
    'options.0.enabled': [true],
    'options.0.actionable': [true],
    'options.0.type': ['template'],
    'options.0.templates.0.id': ['TEMPLATE___REQUEST_BILLING_INFO___1'],
    'options.0.templates.0.vars': 'null',
    'options.0.char_limit': [undefined],
    'options.0.child_options': 'null',
    'options.0.cap_available': [1],
    'options.1.id': ['SEND_INVOICE_LINK'],
    'options.1.type': ['free_text'],
    'options.1.templates': 'null',
    'options.1.char_limit': [350],
    'options.2.id': ['OTHER'],
    'options.2.char_limit': [350],
    'options.3.id': ['DELIVERY_PROMISE'],
    'options.3.templates.0.vars.0.id': ['TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT'],
    'options.3.templates.0.vars.1.id': ['TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT'],
    'options.4': [undefined],
  });
  responses('the options of a cross docking sale', () => `GET /messages/action_guide/packs/901${post}`, {
    'options.0.id': ['REQUEST_VARIANTS'],
    'options.0.type': ['template'],
    'options.3.id': ['OTHER'],
    'options.4': [undefined],
  });
  responses('the caps', () => `GET /messages/action_guide/packs/900/caps_available${post}`, {
    '': 'list',
    '0': [{ option_id: 'REQUEST_BILLING_INFO', cap_available: 1 }],
    '3.option_id': ['DELIVERY_PROMISE'],
  });
  responses(
    'a rejected message of an option',
    () => `POST /messages/action_guide/packs/900/option${post}`,
    {
      status: ['moderated'],
      'message_moderation.status': ['rejected'],
      'message_moderation.reason': ['OUT_OF_PLACE_LANGUAGE'],
      'message_moderation.source': ['online'],
      'message_moderation.moderation_date': 'timestamp',
      'message_date.available': 'null',
      'to.user_id': [2],
      'to.name': ['USER2'],
    },
    () => ({ body: { option_id: 'OTHER', text: 'You idiot' } }),
  );
});

describe('Message', () => {
  const current: Fields = {
    id: 'string',
    site_id: ['MLA'],
    client_id: [null],
    'from.user_id': [2],
    'to.user_id': [1],
    status: ['available'],
    subject: 'null',
    text: ['Hello'],
    'message_date.received': 'timestamp',
    'message_date.available': 'timestamp',
    'message_date.notified': 'timestamp',
    'message_date.created': 'timestamp',
    'message_moderation.status': ['clean'],
    'message_moderation.reason': 'null',
    'message_moderation.source': 'string',
    'message_moderation.moderation_date': 'timestamp',
    message_attachments: 'null',
    message_resources: [
      [
        { id: '900', name: 'packs' },
        { id: '1', name: 'sellers' },
      ],
    ],
    conversation_first_message: [true],
  };
  const prefixed = (prefix: string): Fields =>
    Object.fromEntries(Object.entries(current).map(([name, kind]) => [`${prefix}.${name}`, kind]));
  const first = (): string => {
    const [message] = marketplace.messages.of(marketplace.packs.getOrThrow(900));
    return `GET /messages/${message?.id ?? ''}${post}`;
  };
  responses('in a conversation', () => `GET /messages/packs/900/sellers/1${post}`, {
    paging: [{ total: 1, offset: 0, limit: 10 }],
    'conversation_status.path': ['/packs/900/sellers/1'],
    'conversation_status.status': ['active'],
    'conversation_status.substatus': 'null',
    'conversation_status.status_date': 'timestamp',
    'conversation_status.status_update_allowed': 'boolean',
    'conversation_status.claim_id': 'null',
    'conversation_status.shipping_id': 'integer',
    seller_max_message_length: [350],
    buyer_max_message_length: [3500],
    ...prefixed('messages.0'),
  });
  responses('by id', first, {
    paging: 'null',
    conversation_status: 'null',
    'messages.1': [undefined],
    ...prefixed('messages.0'),
  });
  describe('in the legacy shape', () => {
    beforeEach(() => {
      marketplace.messages.shape = 'legacy';
    });
    responses('by id', first, {
      message_id: 'string',
      date: 'timestamp',
      date_received: 'timestamp',
      date_available: 'timestamp',
      date_notified: 'timestamp',
      date_read: 'null',
      'from.user_id': [2],
      'to.0.user_id': [1],
      'text.plain': ['Hello'],
      attachments: 'list',
      attachments_validations: [{ invalid_size: [], invalid_extension: [], forbidden: [], internal_error: [] }],
      site_id: ['MLA'],
      resource: ['orders'],
      resource_id: 'digits',
      status: ['available'],
      'moderation.status': ['clean'],
      'moderation.source': 'string',
      'moderation.date_moderated': 'timestamp',
      'moderation.reason': [undefined],
    });
  });
  describe('with a file', () => {
    beforeEach(() => {
      const sale = marketplace.packs.getOrThrow(900);
      marketplace.buyerWrites({
        pack: sale,
        text: 'See',
        files: [{ filename: 'a.txt', content: 'abc', type: 'text/plain' }],
      });
    });
    responses('an attachment', () => `GET /messages/packs/900/sellers/1${post}`, {
      'messages.0.message_attachments.0.filename': 'string',
      'messages.0.message_attachments.0.original_filename': ['a.txt'],
      'messages.0.message_attachments.0.type': ['text/plain'],
      'messages.0.message_attachments.0.size': [3],
      'messages.0.message_attachments.0.potential_security_threat': [false],
      'messages.0.message_attachments.0.creation_date': 'timestamp',
      'messages.0.conversation_first_message': [false],
    });
  });
});

describe('Flex', () => {
  responses('the subscriptions', () => 'GET /shipping/flex/sites/MLA/users/1/subscriptions/v1', {
    '0.id': 'integer',
    '0.site_id': ['MLA'],
    '0.user_id': [1],
    '0.mode': ['FLEX'],
    '0.configuration_type': [{ coverage: 'zone', delivery: 'custom' }],
    '0.service_id': [77],
    '0.status': [{ id: 'in' }],
    '0.creation_date': 'timestamp',
    '1.mode': ['TURBO'],
    '1.configuration_type': [{ coverage: 'radius', delivery: 'accurate' }],
    '2': [undefined],
  });
  const price = 'price {cents fraction currency_id decimal_separator symbol}';
  const select = `address {id address_line city {id name} zip_code}
    subscription {site_id user_id service_id status {id} creation_date training_times {original {value unit} remaining {value unit} activation_date}}
    availables {capacity_range {from to} cutoff ranges} delivery_window is_moderated
    delivery_ranges {week {from to capacity type processing_time et_hour calculated_cutoff} saturday {from} sunday {from}}
    working_days zones {id label enabled is_mandatory selected neighborhoods ${price}} disabled_features`;
  responses(
    'the configuration',
    () => 'POST /shipping/flex/sites/MLA/configuration/v3',
    {
      'configuration.address.id': 'string',
      'configuration.address.address_line': 'string',
      'configuration.address.city.id': 'string',
      'configuration.address.city.name': 'string',
      'configuration.address.zip_code': 'string',
      'configuration.subscription.site_id': ['MLA'],
      'configuration.subscription.user_id': [1],
      'configuration.subscription.service_id': [77],
      'configuration.subscription.status.id': ['in'],
      'configuration.subscription.creation_date': 'timestamp',
      'configuration.subscription.training_times.original.value': [2],
      'configuration.subscription.training_times.original.unit': ['week'],
      'configuration.subscription.training_times.remaining.value': [0],
      'configuration.subscription.training_times.remaining.unit': ['week'],
      'configuration.subscription.training_times.activation_date': 'timestamp',
      'configuration.availables.capacity_range': [{ from: 1, to: 500 }],
      'configuration.availables.cutoff': 'list',
      'configuration.availables.ranges': 'list',
      'configuration.delivery_window': ['same_day'],
      'configuration.is_moderated': 'boolean',
      'configuration.delivery_ranges.week.0.from': [9],
      'configuration.delivery_ranges.week.0.to': [18],
      'configuration.delivery_ranges.week.0.capacity': 'integer',
      'configuration.delivery_ranges.week.0.type': ['cpt'],
      'configuration.delivery_ranges.week.0.processing_time': 'integer',
      'configuration.delivery_ranges.week.0.et_hour': 'integer',
      'configuration.delivery_ranges.week.0.calculated_cutoff': [13],
      'configuration.delivery_ranges.saturday': 'null',
      'configuration.delivery_ranges.sunday': 'null',
      'configuration.working_days': [['week']],
      'configuration.zones.0.id': ['MLA-1'],
      'configuration.zones.0.label': 'string',
      'configuration.zones.0.enabled': [true],
      'configuration.zones.0.is_mandatory': [true],
      'configuration.zones.0.selected': [true],
      'configuration.zones.0.neighborhoods': 'list',
      'configuration.zones.0.price.cents': 'string',
      'configuration.zones.0.price.fraction': 'string',
      'configuration.zones.0.price.currency_id': ['ARS'],
      'configuration.zones.0.price.decimal_separator': 'string',
      'configuration.zones.0.price.symbol': 'string',
      'configuration.zones.1.selected': [false],
      'configuration.disabled_features': [['CUTOFF_BY_ZONE', 'CAPACITY_BY_DAY']],
    },
    () => ({ body: { query: `{configuration(user_id: 1, service_id: 77) {${select}}}` } }),
  );
});

describe('Contact metrics', () => {
  beforeEach(() => marketplace.viewPhone({ item_id: 'MLA1' }, { at: '2026-03-01T10:00:00Z', times: 3 }));
  const period = 'date_from=2026-03-01T00:00:00.000Z&date_to=2026-03-02T00:00:00.000Z';
  responses('the total of an item', () => `GET /items/MLA1/contacts/phone_views?${period}`, {
    total: [3],
    item_id: ['MLA1'],
    date_from: ['2026-03-01T00:00:00.000Z'],
    date_to: ['2026-03-02T00:00:00.000Z'],
  });
  responses('the total of a user', () => `GET /users/1/contacts/phone_views?${period}`, {
    total: [3],
    user_id: 'digits',
  });
  responses('the questions of an item', () => `GET /items/MLA1/contacts/questions?${period}`, { total: [0] });
  responses(
    'a window',
    () => 'GET /items/MLA1/contacts/phone_views/time_window?last=2&unit=day&ending=2026-03-02T00:00:00Z',
    {
      item_id: ['MLA1'],
      total: [3],
      last: [2],
      unit: ['day'],
      date_from: 'timestamp',
      date_to: 'timestamp',
      'results.0': [{ date: '2026-03-01T00:00:00Z', total: 3 }],
      'results.1.total': [0],
      'results.2': [undefined],
    },
  );
  responses(
    'a window in descending order',
    () => 'GET /users/1/contacts/phone_views/time_window?last=2&unit=day&order=desc',
    {
      'results.0.date': ['2026-03-02T00:00:00Z'],
      'results.1.total': [3],
    },
  );
});

describe('Common resources', () => {
  responses('a currency', () => 'GET /currencies/BRL', {
    id: ['BRL'],
    description: 'string',
    symbol: ['R$'],
    decimal_places: [2],
  });
  responses('a site search', () => 'GET /sites/MLA/search?q=item', {
    site_id: ['MLA'],
    query: ['item'],
    paging: [{ total: 1, offset: 0, limit: 50 }],
    'results.0.id': ['MLA1'],
    sort: 'object',
    available_sorts: 'list',
    filters: 'list',
    available_filters: 'list',
  });
  responses(
    'an error',
    () => 'GET /currencies/XXX',
    { message: 'string', error: ['not_found'], status: [404], cause: 'list' },
    undefined,
    404,
  );
});
