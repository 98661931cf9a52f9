import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint } from 'marketplace-seller-sdk';
import { listEndpoints } from '../../src/endpoints.js';

/** An endpoint with a valid input, as the contract tests take it. */
export interface Trial {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The groups of operations, for `only` of tools: without it, some are left out. */
export const everyGroup: readonly string[] = Object.keys(endpoints);

/** All endpoints, each with its example as the input. */
export const everyEndpoint: readonly Trial[] = listEndpoints(endpoints).map((endpoint) => {
  return { name: endpoint.name, endpoint, input: endpoint.example as Trial['input'] };
});
