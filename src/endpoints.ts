import { describe } from './core/description.js';
import * as questions from './resources/questions/endpoints.js';

/** Every endpoint there is, grouped by resource: what `SellerClient.call` takes. */
export const endpoints = {
  describe,
  questions: {
    search: questions.search,
    get: questions.get,
    ask: questions.ask,
    answer: questions.answer,
    delete: questions.remove,
    hide: questions.hide,
    responseTime: questions.responseTimeOf,
    blacklist: {
      add: questions.addToBlacklist,
      list: questions.listBlacklist,
      remove: questions.removeFromBlacklist,
    },
  },
};
