import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';

type Kind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
type Json = Readonly<Record<string, unknown>>;

const date = '2026-03-02T12:00:00.000-04:00';
const message = {
  id: 'a1',
  site_id: 'MLA',
  client_id: 500,
  from: { user_id: 7 },
  to: { user_id: 8 },
  status: 'available',
  subject: null,
  text: 'Hello',
  message_date: { received: date, available: date, notified: date, created: date, read: date },
  message_moderation: { status: 'clean', reason: null, source: 'online', moderation_date: date },
  message_attachments: [
    {
      filename: '7_a.pdf',
      original_filename: 'a.pdf',
      type: 'application/pdf',
      size: 8,
      potential_security_threat: false,
      creation_date: date,
    },
  ],
  message_resources: [{ id: '2000000000000001', name: 'packs' }],
  conversation_first_message: true,
};
const question = {
  id: 5_000_000_001,
  seller_id: 7,
  item_id: 'MLA1',
  text: 'Is it new?',
  status: 'ANSWERED',
  date_created: date,
  deleted_from_listing: false,
  hold: false,
  from: { id: 8, answered_questions: 1 },
  answer: { text: 'Yes.', status: 'ACTIVE', date_created: date },
};
const band = { response_time: 10, sales_percent_increase: null };
const paging = { total: 1, offset: 0, limit: 50 };
const address = { id: '700', address_line: 'Calle 1', city: { id: 'C1', name: 'Buenos Aires' }, zip_code: '1000' };
const range = { from: 8, to: 20, capacity: 50, type: 'cpt', processing_time: 0, et_hour: 20, calculated_cutoff: 14 };
const named = { id: 'a', name: 'A' };
const window = {
  item_id: 'MLA1',
  total: 1,
  date_from: date,
  date_to: date,
  last: 1,
  unit: 'day',
  results: [{ date, total: 1 }],
};

/** The responses of the live service that are public: in the specification, and in the wire notes. */
const live: Readonly<Record<string, unknown>> = {
  'GET /questions/search?seller_id=7': {
    total: 1,
    limit: 50,
    questions: [question],
    filters: { limit: 50, offset: 0, is_admin: false, sorts: [], caller: 7, seller: '7' },
    available_filters: [{ id: 'item', name: 'Item', type: 'text', values: ['A'] }],
    available_sorts: ['date_created'],
  },
  'GET /questions/5000000001': question,
  'GET /users/7/questions_blacklist': { users: [{ id: 9 }], paging },
  'GET /users/7/questions/response_time': {
    user_id: 7,
    total: { response_time: 10 },
    weekend: band,
    weekdays_working_hours: band,
    weekdays_extra_hours: band,
  },
  'GET /messages/action_guide/packs/2000000000000001?tag=post_sale': {
    options: [
      {
        id: 'OTHER',
        internal_description: 'Other',
        enabled: true,
        type: 'free_text',
        templates: null,
        actionable: true,
        char_limit: 350,
        child_options: null,
        cap_available: 1,
      },
    ],
  },
  'GET /messages/action_guide/packs/2000000000000001/caps_available?tag=post_sale': [
    { option_id: 'OTHER', cap_available: 1 },
  ],
  'GET /messages/packs/2000000000000001/sellers/7?tag=post_sale': {
    paging,
    conversation_status: {
      path: '/packs/2000000000000001/sellers/7',
      status: 'active',
      substatus: null,
      status_date: date,
      status_update_allowed: false,
      claim_id: null,
      claim_ids: [],
      shipping_id: 43_000_000_001,
    },
    messages: [message],
    seller_max_message_length: 350,
    buyer_max_message_length: 3500,
  },
  'GET /shipping/flex/sites/MLA/users/7/subscriptions/v1': [
    {
      id: 1,
      site_id: 'MLA',
      user_id: 7,
      mode: 'FLEX',
      configuration_type: { coverage: 'zone', delivery: 'custom' },
      service_id: 1,
      status: { id: 'in' },
      creation_date: date,
      origin: address,
      configuration: {
        set: { coverage: { type: 'zone', capabilities: { cutoff_by_zone: false } }, delivery_ranges: 'dynamic' },
        available: { coverage: { type: ['zone'], capabilities: { cutoff_by_zone: true } } },
      },
    },
  ],
  'POST /shipping/flex/sites/MLA/configuration/v3': {
    configuration: {
      address,
      subscription: {
        site_id: 'MLA',
        user_id: 7,
        service_id: 1,
        status: { id: 'in' },
        creation_date: date,
        training_times: {
          original: { value: 1, unit: 'day' },
          remaining: { value: 1, unit: 'day' },
          activation_date: date,
        },
      },
      availables: { capacity_range: { from: 1, to: 500 }, cutoff: [12], ranges: [8] },
      delivery_window: 'same_day',
      is_moderated: false,
      delivery_ranges: { week: [range], saturday: [range], sunday: [range] },
      working_days: ['week'],
      zones: [
        {
          id: 'Z',
          label: 'Z',
          enabled: true,
          is_mandatory: false,
          selected: true,
          neighborhoods: [],
          price: { cents: '00', fraction: '500', currency_id: 'ARS', decimal_separator: ',', symbol: '$' },
        },
      ],
      disabled_features: ['CUTOFF_BY_ZONE'],
    },
  },
  'GET /flex/sites/MLA/shipments/40000000001/assignment/v1': { driver_id: 77 },
  'GET /items?ids=MLA1&attributes=status': [{ code: 200, body: { status: 'active' } }],
  'GET /items/MLA1/contacts/phone_views?date_from=2020-01-01&date_to=2040-01-01': {
    date_from: date,
    date_to: date,
    item_id: 'MLA1',
    total: 1,
  },
  'GET /users/7/contacts/phone_views?date_from=2020-01-01&date_to=2040-01-01': {
    date_from: date,
    date_to: date,
    user_id: '7',
    total: 1,
  },
  'GET /items/MLA1/contacts/phone_views/time_window?last=1&unit=day': window,
  'GET /items/contacts/phone_views/time_window?ids=MLA1&last=1&unit=day': [window],
  'GET /currencies/ARS': { id: 'ARS', description: 'Peso argentino', symbol: '$', decimal_places: 2 },
  'GET /sites/MLA/search?q=lamp': {
    site_id: 'MLA',
    country_default_time_zone: 'GMT-03:00',
    query: 'lamp',
    paging: { total: 1, offset: 0, limit: 50 },
    results: [
      {
        id: 'MLA1',
        title: 'A lamp',
        condition: 'new',
        thumbnail_id: 'a',
        catalog_product_id: null,
        listing_type_id: 'gold_special',
        permalink: 'https://example.com',
        buying_mode: 'buy_it_now',
        site_id: 'MLA',
        category_id: 'MLA1',
        domain_id: 'MLA-LAMPS',
        thumbnail: 'https://example.com/a.jpg',
        currency_id: 'ARS',
        order_backend: 1,
        price: 100,
        original_price: null,
        sale_price: null,
        available_quantity: 1,
        official_store_id: null,
        shipping: {
          store_pick_up: false,
          free_shipping: false,
          logistic_type: 'drop_off',
          mode: 'me2',
          tags: [],
          benefits: null,
          promise: null,
        },
        stop_time: date,
        seller: { id: 7, nickname: 'SHOP' },
        attributes: [{ id: 'BRAND', name: 'Brand', value_id: '1', value_name: 'A' }],
        installments: { quantity: 6, amount: 20.5, rate: 10.5, currency_id: 'ARS' },
        winner_item_id: null,
        catalog_listing: false,
        discounts: null,
        promotions: [],
        inventory_id: null,
      },
    ],
    sort: named,
    available_sorts: [named],
    filters: [],
    available_filters: [{ id: 'a', name: 'A', type: 'text', values: [] }],
  },
};

async function answered(): Promise<(line: string) => Promise<unknown>> {
  const marketplace = new FakeMarketplace();
  marketplace.addUser({ user_id: 7, nickname: 'SHOP' });
  for (const user_id of [8, 9]) marketplace.addUser({ user_id });
  const { item_id } = marketplace.addItem({ item_id: 'MLA1', seller_id: 7, title: 'A lamp' });
  const { id } = marketplace.ask({ from: { user_id: 8 }, item_id, text: 'Is it new?' });
  marketplace.questions.answer(id, 'Yes.');
  marketplace.questions.block(9, 7);
  const pack = marketplace.packs.add({ seller_id: 7, buyer_id: 8 });
  const bytes = new TextEncoder().encode('%PDF-1.7');
  const file = marketplace.attachments.add({
    owner: 8,
    site_id: 'MLA',
    filename: 'a.pdf',
    type: 'application/pdf',
    bytes,
  });
  marketplace.messages.add(pack, { from: 8, text: 'Hello', files: [marketplace.attachments.use(file.id)] });
  marketplace.messages.markAsRead(7, pack);
  const { service_id } = marketplace.flex.subscribe({ user_id: 7 });
  marketplace.flex.assignDriver(marketplace.flex.ship({ user_id: 7 }), 77);
  marketplace.viewPhone({ item_id });
  const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id: 7 })}` };
  const configuration = `{configuration(user_id:7,service_id:${service_id}){${selection(
    (live['POST /shipping/flex/sites/MLA/configuration/v3'] as { configuration: Json }).configuration,
  )}}}`;
  return async (line) => {
    const [method = '', path = ''] = line.split(' ');
    const body = method === 'POST' ? JSON.stringify({ query: configuration }) : null;
    const response = await marketplace.fetch(new Request(marketplace.baseUrl + path, { method, headers, body }));
    expect([line, response.status]).toEqual([line, 200]);
    return (await response.json()) as unknown;
  };
}

/** The GraphQL selection of every field of a value. */
function selection(value: Json): string {
  return Object.entries(value)
    .map(([name, field]) => {
      const inner: unknown = Array.isArray(field) ? field[0] : field;
      return typeof inner === 'object' && inner !== null ? `${name}{${selection(inner as Json)}}` : name;
    })
    .join(' ');
}

function kindOf(value: unknown): Kind {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as Kind);
}

/** Compares each field of a live response with the fake's; `null` in one of the two fits every type. */
function compare(expected: unknown, found: unknown, at = ''): { at: string; result: 'same' | 'retyped' | 'missing' }[] {
  if (Array.isArray(expected)) {
    const [first] = expected as unknown[];
    const all = Array.isArray(found) ? (found as unknown[]) : [];
    return first === undefined ? [] : compare(first, merged(all), at);
  }
  if (typeof expected !== 'object' || expected === null) return [];
  return Object.entries(expected).flatMap(([name, value]) => {
    const path = `${at}.${name}`;
    const fields = (found ?? {}) as Json;
    if (!(name in fields)) return [{ at: path, result: 'missing' as const }];
    const kinds = [kindOf(value), kindOf(fields[name])];
    const result = kinds.includes('null') || kinds[0] === kinds[1] ? ('same' as const) : ('retyped' as const);
    return [{ at: path, result }, ...(fields[name] === null ? [] : compare(value, fields[name], path))];
  });
}

/** The entries of a list as one: a field that only some of them have counts as well. */
function merged(entries: readonly unknown[]): unknown {
  if (typeof entries[0] !== 'object' || entries[0] === null) return entries[0];
  return Object.assign({}, ...(entries as object[]).toReversed()) as unknown;
}

describe('the fields of the responses of the live service', () => {
  test('are in the responses of a marketplace that follows it, with the same JSON type', async () => {
    const ask = await answered();
    const rows = [];
    for (const [line, response] of Object.entries(live)) {
      const fields = compare(response, await ask(line));
      const different = fields.filter(({ result }) => result !== 'same').map(({ at, result }) => `${at}: ${result}`);
      rows.push({ line, fields: fields.length, different });
    }
    const fields = rows.reduce((sum, row) => sum + row.fields, 0);
    const different = rows.flatMap((row) => row.different);
    expect(fields).toBeGreaterThan(290);
    expect(rows.filter((row) => row.different.length > row.fields * 0.1)).toEqual([]);
    expect(1 - different.length / fields, different.join('\n')).toBeGreaterThanOrEqual(0.95);
  });
});
