import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint } from 'marketplace-seller-sdk';
import { listEndpoints } from '../../src/endpoints.js';

/** An endpoint with a valid input, as the contract tests take it. */
export interface Trial {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

/** All endpoints, each with its example as the input. */
export const everyEndpoint: readonly Trial[] = listEndpoints(endpoints).map((endpoint) => {
  return { name: endpoint.name, endpoint, input: endpoint.example as Trial['input'] };
});
