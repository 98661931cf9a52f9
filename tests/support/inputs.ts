import { deliveryPromise } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';

/** What each endpoint of a table takes. */
export type InputsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Endpoint<infer In> ? In : InputsOf<Table[Name]>;
};

const march = { date_from: '2026-03-01T00:00:00.000-03:00', date_to: '2026-03-31T23:59:59.999-03:00' };
const week = {
  last: 7,
  unit: 'day',
  ending: '2026-03-31T00:00:00Z',
  order: 'desc',
  limit: 20,
  offset: 1,
} as const;

/** One valid input for every endpoint, each field given at least once: the contract tests send these. */
export const inputs: InputsOf<typeof endpoints> = {
  describe: { path: '/questions' },
  actionGuide: {
    options: { pack_id: 2000000012345678 },
    caps: { pack_id: 2000000012345678 },
    send: { pack_id: 2000000012345678, ...deliveryPromise({ from: 9, to: 13 }) },
  },
  messages: {
    conversation: { pack_id: 2000000012345678, user_id: 7, limit: 10, offset: 20, mark_as_read: false },
    get: { message_id: '0c1ad0b9a9de4b1f8d4a4a1b0d9f1e55' },
    send: {
      pack_id: 2000000012345678,
      user_id: 7,
      from: { user_id: 7 },
      to: { user_id: 31, resource: 'orders', resource_id: 2000000012345678, site_id: 'MLA', email: 'a@b.example' },
      text: '¡Su pedido salió! 🚚',
      attachments: ['file-1.pdf'],
      application_id: 500,
      client_id: 500,
    },
    upload: {
      site_id: 'MLA',
      file: new Uint8Array([37, 80, 68, 70]),
      filename: 'invoice.pdf',
      contentType: 'application/pdf',
    },
    download: { site_id: 'MLA', attachment_id: 'file-1.pdf' },
  },
  questions: {
    search: {
      item: 'MLA100',
      from: 31,
      sort_fields: ['date_created', 'item_id'],
      sort_types: ['DESC', 'ASC'],
      limit: 20,
      offset: 40,
      filters: { status: 'UNANSWERED' },
    },
    get: { question_id: 42 },
    ask: { item_id: 'MLA100', text: '¿Hay stock? 😀' },
    answer: { question_id: 42, text: 'Sí, hay.' },
    delete: { question_id: 42 },
    hide: { question_id: 42 },
    responseTime: { user_id: 7 },
    blacklist: {
      add: { seller_id: 7, user_id: 31 },
      list: { seller_id: 7 },
      remove: { seller_id: 7, user_id: 31 },
    },
  },
  flex: {
    subscriptions: { site_id: 'MLA', user_id: 7 },
    configuration: { site_id: 'MLA', query: '{configuration(user_id:7,service_id:1001){zones{id}}}' },
    setDelivery: {
      site_id: 'MLA',
      user_id: 7,
      service_id: 1001,
      delivery_window: 'same_day',
      delivery_ranges: {
        week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }],
        saturday: [{ from: 10, to: 12, capacity: 5, cutoff: 9 }],
        sunday: [],
      },
    },
    addZones: { site_id: 'MLA', user_id: 7, service_id: 1001, zones: [{ id: 'zone-1' }] },
    driver: { site_id: 'MLA', shipment_id: 40_000_000_001 },
    items: {
      isEnabled: { site_id: 'MLA', item_id: 'MLA100' },
      enable: { site_id: 'MLA', item_id: 'MLA100' },
      disable: { site_id: 'MLA', item_id: 'MLA100' },
    },
  },
  contacts: {
    questions: {
      ofItem: { item_id: 'MLA100', ...march },
      ofUser: { user_id: 7, ...march },
      windowOfItem: { item_id: 'MLA100', ids: ['MLA100', 'MLA200'], ...week },
      windowOfUser: { user_id: 7, ...week },
    },
    phoneViews: {
      ofItem: { item_id: 'MLA100', ...march },
      ofUser: { user_id: 7, ...march },
      windowOfItem: { item_id: 'MLA100', ...week },
      windowOfItems: { ids: ['MLA100', 'MLA200'], ...week },
      windowOfUser: { user_id: 7, ...week },
    },
  },
  items: { status: { ids: ['MLA100', 'MLA200'] } },
  sites: { search: { site_id: 'MLA', q: 'silla', limit: 20, offset: 40, filters: { condition: 'new' } } },
  currencies: { list: {}, get: { id: 'BRL' } },
};
