import { describe } from './core/operation/describe.js';
import { actionGuideEndpoints } from './resources/action-guide/endpoints.js';
import { contactEndpoints } from './resources/contacts/endpoints.js';
import { currencyEndpoints } from './resources/currencies/endpoints.js';
import { flexEndpoints } from './resources/flex/endpoints.js';
import { itemEndpoints } from './resources/items/endpoints.js';
import { messageEndpoints } from './resources/messages/endpoints.js';
import { questionEndpoints } from './resources/questions/endpoints.js';
import { siteEndpoints } from './resources/sites/endpoints.js';

/** All endpoints, grouped by resource. `SellerClient.call` calls them. */
export const endpoints = {
  describe,
  actionGuide: actionGuideEndpoints,
  messages: messageEndpoints,
  questions: questionEndpoints,
  flex: flexEndpoints,
  contacts: contactEndpoints,
  items: itemEndpoints,
  sites: siteEndpoints,
  currencies: currencyEndpoints,
};
