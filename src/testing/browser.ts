/**
 * The fake marketplace where there is no Node.js: in a page, a service worker or an edge runtime. A client reaches it through
 * `marketplace.fetch`, or is made by `clientFor`. Only `listen()` needs a server.
 */
export { FakeMarketplaceError } from './errors.js';
export { FakeMarketplace } from './marketplace.js';
export type * from './index.js';
