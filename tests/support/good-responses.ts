import type { FlexConfiguration, SellerClient } from 'marketplace-seller-sdk';

/** A response with several entries, how a client reads it, and which entries it delivers. */
export interface GoodResponse {
  readonly body: object;
  /** Where the list is in the body. */
  readonly list: readonly string[];
  readonly read: (client: SellerClient) => PromiseLike<readonly unknown[]>;
}

const attachment = { filename: 'f1.pdf', original_filename: 'a.pdf', type: 'application/pdf', size: 1500 };
const message = {
  site_id: 'MLA',
  client_id: 1,
  from: { user_id: 7 },
  to: { user_id: 31 },
  status: 'available',
  text: 'Hello',
  message_date: { received: '2026-03-01T00:00:00Z', read: null },
  message_moderation: { status: 'clean', reason: null },
  message_attachments: [attachment],
  message_resources: [{ id: '1', name: 'packs' }],
};
const question = {
  seller_id: 7,
  item_id: 'MLA1',
  text: 'Is there stock?',
  status: 'ANSWERED',
  date_created: '2026-03-01T00:00:00Z',
  from: { id: 31, answered_questions: 2 },
  answer: { text: 'Yes', status: 'ACTIVE', date_created: '2026-03-01T01:00:00Z' },
};
const interval = { date: '2026-03-01T00:00:00Z', total: 2 };
const window = { total: 4, last: 2, unit: 'day', results: [interval, { ...interval, total: 2 }] };
const paging = { total: 3, offset: 0, limit: 50 };
const template = { id: 'TEMPLATE___REQUEST_VARIANTS___1', vars: null };
const whose = { site_id: 'MLA', user_id: 7, service_id: 1 };

/** Every method that delivers a list, with a response of three entries as documented. */
export const goodResponses: Readonly<Record<string, GoodResponse>> = {
  'questions.search': {
    body: { total: 3, limit: 50, questions: [1, 2, 3].map((id) => ({ id, ...question })) },
    list: ['questions'],
    read: (client) => client.questions.search({ seller_id: 7 }).toArray(),
  },
  'questions.blacklist.list': {
    body: { paging, users: [1, 2, 3].map((id) => ({ id, blocked_at: '2026-03-01T00:00:00Z' })) },
    list: ['users'],
    read: (client) => client.questions.blacklist.list({ seller_id: 7 }).toArray(),
  },
  'messages.conversation': {
    body: {
      paging,
      conversation_status: { path: '/packs/1', status: 'active', substatus: null, claim_id: null },
      messages: ['a', 'b', 'c'].map((id) => ({ id, ...message })),
      seller_max_message_length: 350,
    },
    list: ['messages'],
    read: (client) => client.messages.conversation({ pack_id: 1, user_id: 7 }).toArray(),
  },
  'actionGuide.options': {
    body: {
      options: ['OTHER', 'REQUEST_VARIANTS', 'SEND_INVOICE_LINK'].map((id) => {
        return { id, enabled: true, type: 'template', templates: [template], char_limit: 350, cap_available: 1 };
      }),
    },
    list: ['options'],
    read: async (client) => (await client.actionGuide.options({ pack_id: 1 })).options,
  },
  'actionGuide.caps': {
    body: ['OTHER', 'REQUEST_VARIANTS', 'SEND_INVOICE_LINK'].map((option_id) => ({ option_id, cap_available: 0 })),
    list: [],
    read: (client) => client.actionGuide.caps({ pack_id: 1 }),
  },
  'contacts.phoneViews.windowOfItems': {
    body: ['MLA1', 'MLA2', 'MLA3'].map((item_id) => ({ item_id, ...window })),
    list: [],
    read: (client) => client.contacts.phoneViews.windowOfItems({ ids: ['MLA1', 'MLA2', 'MLA3'], last: 2, unit: 'day' }),
  },
  'flex.subscriptions': {
    body: [1, 2, 3].map((id) => {
      return { id, ...whose, mode: 'FLEX', status: { id: 'in' }, configuration_type: { coverage: 'zone' } };
    }),
    list: [],
    read: (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
  },
  'flex.configuration': {
    body: {
      configuration: {
        address: { id: 'A', city: { id: 'C', name: 'City' } },
        availables: { capacity_range: { from: 1, to: 9 }, cutoff: [1, 2], ranges: [3] },
        delivery_ranges: { week: [{ from: 9, to: 13, capacity: 5 }] },
        zones: ['z1', 'z2', 'z3'].map((id) => {
          return { id, label: id, selected: true, price: { cents: '00', fraction: '10' } };
        }),
      },
    },
    list: ['configuration', 'zones'],
    read: async (client) => ((await client.flex.configuration(whose)) as FlexConfiguration | undefined)?.zones ?? [],
  },
  'currencies.list': {
    body: ['ARS', 'BRL', 'MXN'].map((id) => ({ id, description: id, symbol: '$', decimal_places: 2 })),
    list: [],
    read: (client) => client.currencies.list(),
  },
  'sites.search': {
    body: {
      site_id: 'MLA',
      paging,
      results: ['MLA1', 'MLA2', 'MLA3'].map((id) => ({ id, title: 'Chair', price: 10.5, available_quantity: 1 })),
    },
    list: ['results'],
    read: (client) => client.sites.search({ site_id: 'MLA', q: 'chair' }).toArray(),
  },
};
