import type { SellerClient } from 'marketplace-seller-sdk';

/** A response as the specification and the wire notes document it, with every field filled. */
export interface DocumentedResponse {
  readonly body: unknown;
  readonly call: (client: SellerClient) => PromiseLike<unknown>;
  /** The paths of the fields without which an object has no meaning; `*` is any entry. */
  readonly required: readonly string[];
  /** The paths of what contains values of any type: their content is not documented. */
  readonly open?: readonly string[];
  /** Values of another type that the service is known to send, with their paths. */
  readonly known?: readonly string[];
}

const at = '2026-03-01T10:00:00.000-04:00';
const place = { pack_id: 2_000_000_012_345_678, user_id: 7 };
const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };
const period = { date_from: at, date_to: at };
const last = { last: 2, unit: 'day' } as const;
const paging = { total: 1, offset: 0, limit: 50 };

const question = {
  id: 42,
  seller_id: 7,
  item_id: 'MLA100',
  text: '¿Hay stock?',
  status: 'ANSWERED',
  date_created: at,
  deleted_from_listing: false,
  hold: false,
  from: { id: 31, answered_questions: 2 },
  answer: { text: 'Sí.', status: 'ACTIVE', date_created: at },
};
const flexSpan = { min: 1, max: 9 };
const flexPrice = { cents: '00', currency_id: 'ARS', decimal_separator: ',', fraction: '500', symbol: '$' };
const flexHours = { from: 9, to: 13 };
const flexLimits = { minimum: 10, maximum: 15 };

const questionRequires = ['id', 'from.id'];

const message = {
  id: '5f1b',
  site_id: 'MLA',
  client_id: 500,
  from: { user_id: 31 },
  to: { user_id: 7, name: 'SHOP' },
  status: 'available',
  subject: 'Compra',
  text: 'Hola',
  message_date: { received: at, available: at, notified: at, created: at, read: at },
  message_moderation: { status: 'clean', reason: 'NONE', source: 'online', moderation_date: at },
  message_attachments: [
    {
      filename: 'f1.pdf',
      original_filename: 'a.pdf',
      type: 'application/pdf',
      size: 1500,
      potential_security_threat: false,
      creation_date: at,
    },
  ],
  message_resources: [{ id: '2000000012345678', name: 'packs' }],
  conversation_first_message: true,
};
const messageRequires = ['id', 'from.user_id', 'to.user_id', 'message_attachments.*.filename'];
const conversation_status = {
  path: '/packs/2000000012345678/sellers/7',
  status: 'active',
  substatus: 'none',
  status_date: at,
  status_update_allowed: false,
  claim_id: 5001,
  shipping_id: 40000000001,
};
const legacyMessage = {
  message_id: '5f1b',
  date_received: at,
  date: at,
  date_available: at,
  date_notified: at,
  date_read: at,
  from: { user_id: 31 },
  to: [{ user_id: 7 }],
  subject: 'Compra',
  text: { plain: 'Hola' },
  attachments: message.message_attachments,
  attachments_validations: { invalid_size: [], invalid_extension: [], forbidden: [], internal_error: [] },
  site_id: 'MLA',
  resource: 'orders',
  resource_id: '2000000012345678',
  status: 'available',
  moderation: { status: 'clean', date_moderated: at, source: 'online', reason: 'NONE' },
};

const range = { from: 9, to: 13, capacity: 20, type: 'cpt', processing_time: 0, et_hour: 13, calculated_cutoff: 8 };
const configuration = {
  address: { id: 'A1', address_line: 'Calle 1', city: { id: 'C1', name: 'Ciudad' }, zip_code: '1000' },
  subscription: {
    ...whose,
    status: { id: 'in' },
    creation_date: at,
    training_times: {
      original: { value: 2, unit: 'week' },
      remaining: { value: 1, unit: 'week' },
      activation_date: at,
    },
  },
  availables: { capacity_range: { from: 1, to: 100 }, cutoff: [8, 9], ranges: [9, 13] },
  delivery_window: 'same_day',
  is_moderated: false,
  delivery_ranges: { week: [range], saturday: [range], sunday: [range] },
  working_days: ['week'],
  zones: [
    {
      id: 'z1',
      label: 'Zona',
      enabled: true,
      is_mandatory: false,
      selected: true,
      neighborhoods: [],
      price: { cents: '00', fraction: '10', currency_id: 'ARS', decimal_separator: ',', symbol: '$' },
      pricing: { mode: 'weight', prices: [{ price: flexPrice, weight: { from_kg: 1, to_kg: 5 } }] },
      cutoff: { week: 14, saturday: 12, sunday: 11 },
    },
  ],
  disabled_features: ['CUTOFF_BY_ZONE'],
};

const total = { date_from: at, date_to: at, total: 5 };
const window = { ...total, ...last, results: [{ date: at, total: 3 }] };
const ofItem = { item_id: 'MLA100' };
const ofUser = { user_id: 7 };
const windowRequires = ['total', 'results.*.date', 'results.*.total'];
const currency = { id: 'ARS', description: 'Peso', symbol: '$', decimal_places: 2 };
const filters = [
  { id: 'status', name: 'Estado', type: 'text', values: [{ id: 'active', name: 'Activa', results: 1 }] },
];

function under(prefix: string, names: readonly string[]): string[] {
  return names.map((name) => `${prefix}.${name}`);
}

/** The documented responses of all operations whose response is documented, by name and variant. */
export const documentedResponses: Readonly<Record<string, DocumentedResponse>> = {
  'questions.search': {
    body: {
      total: 1,
      limit: 50,
      questions: [question],
      filters: { limit: 50, seller: 7 },
      available_filters: [{ id: 'status', name: 'Status', type: 'text', values: ['ANSWERED'] }],
      available_sorts: ['item_id', 'date_created'],
    },
    call: (client) => client.questions.search({ seller_id: 7 }).toArray(),
    required: [...under('questions.*', questionRequires), 'available_filters.*.id'],
    open: ['filters'],
    known: [
      '=[]',
      'available_filters.0="word"',
      'available_filters.0.id=7',
      'available_filters.0.values.0={}',
      'available_filters.0.values.0={"word":7}',
      'filters=[]',
      'filters=[7]',
    ],
  },
  'questions.get': {
    body: question,
    call: (client) => client.questions.get({ question_id: 42 }, { maxRetries: 0 }),
    required: ['from.id'],
  },
  'questions.delete': {
    body: ['Question deleted.'],
    call: (client) => client.questions.delete({ question_id: 42 }),
    required: [],
  },
  'questions.blacklist.list': {
    body: { users: [{ id: 31, blocked_at: at }], paging },
    call: (client) => client.questions.blacklist.list({ seller_id: 7 }).toArray(),
    required: ['users.*.id'],
    known: ['=[]', '=[7]', 'users.0=7'],
  },
  'questions.responseTime': {
    body: {
      user_id: 7,
      total: { response_time: 60 },
      weekend: { response_time: 70, sales_percent_increase: 5 },
      weekdays_working_hours: { response_time: 70, sales_percent_increase: 5 },
      weekdays_extra_hours: { response_time: 70, sales_percent_increase: 5 },
    },
    call: (client) => client.questions.responseTime({ user_id: 7 }),
    required: [],
  },
  'actionGuide.options': {
    body: {
      options: [
        {
          id: 'DELIVERY_PROMISE',
          internal_description: 'Promise',
          enabled: true,
          type: 'template',
          templates: [{ id: 'TEMPLATE___DELIVERY_PROMISE___1', vars: [] }],
          actionable: true,
          char_limit: 350,
          child_options: [],
          cap_available: 1,
        },
      ],
    },
    call: (client) => client.actionGuide.options({ pack_id: 1 }),
    required: ['options.*.id', 'options.*.templates.*.id'],
    known: ['=[]'],
  },
  'actionGuide.caps': {
    body: [{ option_id: 'OTHER', cap_available: 1 }],
    call: (client) => client.actionGuide.caps({ pack_id: 1 }),
    required: ['*.option_id'],
  },
  'actionGuide.send': {
    body: message,
    call: (client) => client.actionGuide.send({ pack_id: place.pack_id, option_id: 'OTHER', text: 'Hola' }),
    required: ['from.user_id', 'to.user_id', 'message_attachments.*.filename'],
    known: ['="word"', 'id=7', 'to=[]', 'text={}', 'message_attachments.0.filename=7', 'message_resources.0.id=7'],
  },
  'messages.conversation': {
    body: {
      paging,
      conversation_status,
      messages: [message],
      seller_max_message_length: 350,
      buyer_max_message_length: 3500,
    },
    call: (client) => client.messages.conversation(place).toArray(),
    required: under('messages.*', messageRequires),
    known: [
      '=[]',
      'conversation_status.claim_id="word"',
      'conversation_status.shipping_id="word"',
      'messages.0.id=7',
      'messages.0.message_resources.0.id=7',
      'messages.0.to=[]',
      'messages.0.text={}',
      'messages.0.message_attachments.0.filename=7',
    ],
  },
  'messages.get, legacy': {
    body: legacyMessage,
    call: (client) => client.messages.get({ message_id: '5f1b' }),
    required: ['from.user_id', 'to.*.user_id', 'attachments.*.filename'],
    known: ['to={}', 'text="word"', 'attachments.0.filename=7', 'resource_id=7'],
  },
  'messages.get, wrapped': {
    body: { paging: null, conversation_status: null, messages: [message] },
    call: (client) => client.messages.get({ message_id: '5f1b' }),
    required: [
      'messages',
      'messages.*.from.user_id',
      'messages.*.to.user_id',
      'messages.*.message_attachments.*.filename',
    ],
    known: [
      'messages.0.to=[]',
      'messages.0.text={}',
      'messages.0.message_attachments.0.filename=7',
      'messages.0.message_resources.0.id=7',
    ],
  },
  'messages.unread': {
    body: {
      user_id: 7,
      results: [{ resource: '/packs/2000000012345678/sellers/7', count: 2 }],
    },
    call: (client) => client.messages.unread(),
    required: ['results.*.resource'],
    known: ['=[]'],
  },
  'messages.upload': {
    body: { id: 'f1.pdf' },
    call: (client) => client.messages.upload({ site_id: 'MLA', file: new Uint8Array(1), filename: 'a.pdf' }),
    required: ['id'],
    known: ['=7', '=[7]', 'id=7'],
  },
  'flex.subscriptions': {
    body: [
      {
        id: 1,
        ...whose,
        mode: 'FLEX',
        configuration_type: { coverage: 'zone', delivery: 'custom' },
        status: { id: 'in' },
        creation_date: at,
      },
    ],
    call: (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
    required: ['*.service_id'],
    known: ['0.id="word"', '0.status="word"'],
  },
  'flex.configuration': {
    body: { configuration },
    call: (client) =>
      client.flex.configuration({
        ...whose,
        select: {
          ...(Object.fromEntries(Object.keys(configuration).map((name) => [name, true])) as { address: true }),
          zones: true,
        },
      }),
    required: ['configuration', 'configuration.zones.*.id'],
    known: ['configuration.zones.0.id=7'],
  },
  'flex.driver': {
    body: { driver_id: 900 },
    call: (client) => client.flex.driver({ site_id: 'MLA', shipment_id: 4 }),
    required: ['driver_id'],
  },
  'flexV2.subscriptions': {
    body: [
      {
        ...whose,
        mode: 'FLEX',
        origin: { id: 'A', address_line: 'Calle 1', zip_code: '1000', city: { id: 'C', name: 'City' } },
        status: 'in',
        configuration: {
          set: {
            coverage: { type: 'zone', capabilities: { cutoff_by_zone: true } },
            delivery_ranges: 'dinamic',
            holidays: true,
            transit_times: false,
          },
          available: { coverage: { type: ['zone'], capabilities: { cutoff_by_zone: true } } },
          accurate_ranges: [flexHours],
        },
      },
    ],
    call: (client) => client.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 }),
    required: ['*.service_id'],
  },
  'flexV2.zones': {
    body: {
      zones: [{ id: 'CABA', cutoff: { week: 14, saturday: 12, sunday: 11 } }],
      availables: {
        zones: [
          {
            id: 'CABA',
            label: 'CABA',
            neighborhoods: [],
            polygon: { type: 'Feature' },
            scope: 'LocalInterno',
            price: flexPrice,
            pricing: { mode: 'weight', prices: [{ price: flexPrice, weight: { from_kg: 1, to_kg: 5 } }] },
          },
        ],
        cutoffs: {
          global: flexSpan,
          per_scope: { LocalInterno: flexLimits, LocalAdyacente: flexLimits, LocalLejano: flexLimits },
        },
      },
    },
    call: (client) => client.flexV2.zones({ ...whose, show_availables: true }),
    required: ['zones.*.id', 'availables.zones.*.id'],
    open: ['availables.zones.*.polygon'],
    known: ['zones.0.id=7', 'availables.zones.0.id=7'],
  },
  'flexV2.radius': {
    body: { radius: 5000, availables: { radius: flexSpan } },
    call: (client) => client.flexV2.radius(whose),
    required: [],
    open: ['availables'],
  },
  'flexV2.deliveryRanges': {
    body: {
      delivery_window: 'same_day',
      delivery_ranges: { week: [{ ...flexHours, capacity: 120, cutoff: 12 }], saturday: [], sunday: [] },
      is_downgraded: false,
      availables: {
        capacity: flexSpan,
        delivery_ranges: {
          type: 'dynamic',
          ranges: { 1: [flexHours] },
          min_hours: 1,
          max_hours: 12,
          min_range_quantity: 1,
          max_range_quantity: 1,
          min_hours_quantity_between_ranges: 1,
        },
        delivery_windows: ['same_day'],
        working_days: ['week'],
        cutoffs: { global: flexSpan },
      },
    },
    call: (client) => client.flexV2.deliveryRanges({ ...whose, show_availables: true }),
    required: [],
    open: ['availables.delivery_ranges.ranges'],
  },
  'flexV2.holidays': {
    body: { holidays: [{ date: '2026-12-25', description: 'Navidad', selected: true }] },
    call: (client) => client.flexV2.holidays(whose),
    required: ['holidays.*.date'],
  },
  'flexV2.items.isEnabled': {
    body: { has_flex: true },
    call: (client) => client.flexV2.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' }),
    required: ['has_flex'],
  },
  'flexV2.driver': {
    body: { driver_id: 900 },
    call: (client) => client.flexV2.driver({ site_id: 'MLA', shipment_id: 4 }),
    required: ['driver_id'],
  },
  'items.status': {
    body: [{ status: 'active' }],
    call: (client) => client.items.status({ ids: ['MLA100'] }),
    required: [],
    known: ['0="word"'],
  },
  'items.status, each with a code': {
    body: [{ code: 200, body: { id: 'MLA100', status: 'active' } }],
    call: (client) => client.items.status({ ids: ['MLA100'] }),
    required: [],
    known: ['0="word"', '0.body="word"'],
  },
  'contacts.questions.ofItem': {
    body: { ...total, ...ofItem },
    call: (client) => client.contacts.questions.ofItem({ ...ofItem, ...period }),
    required: ['total'],
  },
  'contacts.questions.windowOfItem': {
    body: { ...window, ...ofItem },
    call: (client) => client.contacts.questions.windowOfItem({ ...ofItem, ...last }),
    required: windowRequires,
    known: ['=[]'],
  },
  'contacts.questions.windowOfUser': {
    body: { ...window, ...ofUser },
    call: (client) => client.contacts.questions.windowOfUser({ ...ofUser, ...last }),
    required: windowRequires,
  },
  'contacts.phoneViews.ofItem': {
    body: { ...total, ...ofItem },
    call: (client) => client.contacts.phoneViews.ofItem({ ...ofItem, ...period }),
    required: ['total'],
  },
  'contacts.phoneViews.ofUser': {
    body: { ...total, ...ofUser },
    call: (client) => client.contacts.phoneViews.ofUser({ ...ofUser, ...period }),
    required: ['total'],
  },
  'contacts.phoneViews.windowOfItem': {
    body: { ...window, ...ofItem },
    call: (client) => client.contacts.phoneViews.windowOfItem({ ...ofItem, ...last }),
    required: windowRequires,
  },
  'contacts.phoneViews.windowOfItems': {
    body: [{ ...window, ...ofItem }],
    call: (client) => client.contacts.phoneViews.windowOfItems({ ids: ['MLA100'], ...last }),
    required: under('*', windowRequires),
  },
  'contacts.phoneViews.windowOfUser': {
    body: { ...window, ...ofUser },
    call: (client) => client.contacts.phoneViews.windowOfUser({ ...ofUser, ...last }),
    required: windowRequires,
  },
  'currencies.list': { body: [currency], call: (client) => client.currencies.list(), required: ['*.id'] },
  'currencies.get': { body: currency, call: (client) => client.currencies.get({ id: 'ARS' }), required: ['id'] },
  'sites.search': {
    body: {
      site_id: 'MLA',
      query: 'silla',
      paging,
      results: [
        {
          id: 'MLA100',
          title: 'Silla',
          price: 10.5,
          currency_id: 'ARS',
          available_quantity: 1,
          permalink: 'https://x',
        },
      ],
      sort: { id: 'relevance', name: 'Relevancia' },
      available_sorts: [{ id: 'price_asc', name: 'Menor precio' }],
      filters,
      available_filters: filters,
    },
    call: (client) => client.sites.search({ site_id: 'MLA', q: 'silla' }).toArray(),
    required: ['results.*.id', 'sort.id', 'available_sorts.*.id', 'filters.*.id', 'available_filters.*.id'],
    known: [
      '=[]',
      'results.0.id=7',
      'sort="word"',
      'sort.id=7',
      'available_sorts.0="word"',
      'available_sorts.0.id=7',
      'filters.0="word"',
      'filters.0.id=7',
      'filters.0.values.0="word"',
      'filters.0.values.0.id=7',
      'available_filters.0="word"',
      'available_filters.0.id=7',
      'available_filters.0.values.0="word"',
      'available_filters.0.values.0.id=7',
    ],
  },
  describe: {
    body: {
      name: 'Currencies',
      description: 'All currencies',
      attributes: { id: 'The code' },
      methods: [{ method: 'GET', example: '/currencies', description: 'Lists' }],
      related_resources: ['/sites'],
      connections: { sites: '/sites' },
    },
    call: (client) => client.describe({ path: '/currencies' }),
    required: [],
    open: ['attributes', 'methods.*.example', 'related_resources', 'connections'],
    known: ['related_resources={}', 'related_resources={"word":7}', 'connections=[]', 'connections=[7]'],
  },
};
