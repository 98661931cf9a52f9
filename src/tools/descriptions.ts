import type { DescribedEndpoint } from '../core/operation/endpoint.js';
import { endpoints, listEndpoints } from '../endpoints.js';
import generated from './descriptions.json' with { type: 'json' };
import type { JsonSchema } from './portable-schema.js';

/** An operation with its prose, which is that of the JSDoc: `npm run docs:update` writes it to `descriptions.json`. */
export interface DescribedOperation {
  readonly endpoint: DescribedEndpoint;
  /** What it does, and what to know about it. */
  readonly description: string;
  /** Its input, with a description of each field. */
  readonly jsonSchema: JsonSchema;
  /** Whether it changes something at the service. */
  readonly changesSomething: boolean;
}

const { operations, remedies } = generated as unknown as {
  readonly operations: Readonly<Record<string, Pick<DescribedOperation, 'description' | 'jsonSchema'>>>;
  readonly remedies: Readonly<Record<string, string>>;
};

/** Returns every operation, in the order of the table of endpoints. */
export function describedOperations(): DescribedOperation[] {
  return listEndpoints(endpoints).map((endpoint) => {
    const { description = endpoint.summary, jsonSchema = { type: 'object' } } = operations[endpoint.name] ?? {};
    return { endpoint, description, jsonSchema, changesSomething: endpoint.retry !== 'safe' };
  });
}

/** Returns what to do about an error of a class, as the page of the class says it. */
export function remedyFor(kind: string): string | undefined {
  return remedies[kind];
}
