import type { ClientOptions } from 'marketplace-seller-sdk';

/** The client options for each way that a request can be sent on Node, with its name. */
export const transports: readonly (readonly [name: string, options: Partial<ClientOptions>])[] = [
  ['node:http', {}],
  ['fetch', { fetch: globalThis.fetch }],
];
