import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint } from 'marketplace-seller-sdk';
import { listEndpoints } from '../../src/core/list-endpoints.js';
import { inputs } from './inputs.ts';

/** An endpoint with a valid input, as the contract tests take it. */
export interface Trial {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

/** All endpoints, each with its valid input. */
export const everyEndpoint: readonly Trial[] = listEndpoints(endpoints).map((endpoint) => {
  const input = endpoint.name
    .split('.')
    .reduce<object>((at, name) => (at as Record<string, object>)[name] ?? {}, inputs);
  return { name: endpoint.name, endpoint, input: input as Trial['input'] };
});
