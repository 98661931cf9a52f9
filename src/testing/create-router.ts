import { endpoints } from '../endpoints.js';
import { actionGuideHandlers } from './handlers/action-guide.js';
import { contactHandlers } from './handlers/contacts.js';
import { currencyHandlers } from './handlers/currencies.js';
import { flexHandlers } from './handlers/flex.js';
import { itemHandlers } from './handlers/items.js';
import { messageHandlers } from './handlers/messages.js';
import { questionHandlers } from './handlers/questions.js';
import { siteHandlers } from './handlers/sites.js';
import { Router } from './http/router.js';
import type { Interceptor } from './http/router.js';
import { exchangeToken } from './oauth.js';
import type { Stores } from './state/stores.js';

/** Creates the router of a marketplace. */
export function createRouter(stores: Stores, interceptors: readonly Interceptor[]): Router {
  const router = new Router({ ...stores, interceptors });
  router.add(endpoints.questions, questionHandlers(stores.questions, stores));
  router.add(endpoints.flex, flexHandlers(stores.flex, stores));
  router.add(endpoints.contacts, contactHandlers(stores.contacts, stores));
  router.add(endpoints.items, itemHandlers(stores));
  router.add(endpoints.sites, siteHandlers(stores));
  router.add(endpoints.currencies, currencyHandlers());
  router.add(endpoints.actionGuide, actionGuideHandlers(stores.messages, stores));
  router.add(endpoints.messages, messageHandlers(stores.messages, stores.attachments, stores));
  router.addRoute('POST', '/oauth/token', (request) => exchangeToken(request, stores.accounts, stores.settings));
  return router;
}
