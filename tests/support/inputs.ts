import type { Endpoint, endpoints } from 'marketplace-seller-sdk';

/** What each endpoint of a table takes. */
export type InputsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Endpoint<infer In> ? In : InputsOf<Table[Name]>;
};

/** One valid input for every endpoint, each field given at least once: the laws are tried with these. */
export const inputs: InputsOf<typeof endpoints> = {
  describe: { path: '/questions' },
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
};
