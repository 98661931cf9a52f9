import { describe } from './resources/describe.js';
import type { DescribedEndpoint } from './core/operation/endpoint.js';
import { actionGuideEndpoints } from './resources/action-guide/endpoints.js';
import { contactEndpoints } from './resources/contacts/endpoints.js';
import { currencyEndpoints } from './resources/currencies/currencies.js';
import { flexEndpoints } from './resources/flex/endpoints.js';
import { flexV2Endpoints } from './resources/flex-v2/endpoints.js';
import { itemEndpoints } from './resources/items/items.js';
import { messageEndpoints } from './resources/messages/endpoints.js';
import { questionEndpoints } from './resources/questions/endpoints.js';
import { siteEndpoints } from './resources/sites/sites.js';

/** All endpoints, grouped by resource. `SellerClient.call` calls them. */
export const endpoints = {
  describe,
  actionGuide: actionGuideEndpoints,
  messages: messageEndpoints,
  questions: questionEndpoints,
  flex: flexEndpoints,
  flexV2: flexV2Endpoints,
  contacts: contactEndpoints,
  items: itemEndpoints,
  sites: siteEndpoints,
  currencies: currencyEndpoints,
};

type NamesIn<Table, Path extends string = ''> = {
  [Name in keyof Table & string]: Table[Name] extends { readonly path: string }
    ? `${Path}${Name}`
    : NamesIn<Table[Name], `${Path}${Name}.`>;
}[keyof Table & string];

/** The names of all endpoints, e.g. `questions.answer`. */
export type EndpointName = NamesIn<typeof endpoints>;

/** Lists the endpoints of a nested table, in its order. */
export function listEndpoints(table: object): DescribedEndpoint[] {
  return Object.values(table as Readonly<Record<string, object>>).flatMap((entry) =>
    isEndpoint(entry) ? [entry] : listEndpoints(entry),
  );
}

/** Whether an entry of a table is an endpoint, and not a group of endpoints. */
function isEndpoint(entry: object): entry is DescribedEndpoint {
  return 'path' in entry && typeof entry.path === 'string';
}
