import { endpoints } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { inputs } from './inputs.ts';

/** An endpoint with a valid input, as the contract tests take it. */
export interface Trial {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Every endpoint there is, each with its valid input. */
export const everyEndpoint: readonly Trial[] = pairs(endpoints, inputs);

function pairs(table: object, given: object): Trial[] {
  return Object.entries(table).flatMap(([name, entry]: [string, object]) => {
    const input = (given as Record<string, Readonly<Record<string, unknown>>>)[name] ?? {};
    if (!('path' in entry)) return pairs(entry, input);
    const endpoint = entry as Endpoint;
    return [{ name: endpoint.name, endpoint, input }];
  });
}
