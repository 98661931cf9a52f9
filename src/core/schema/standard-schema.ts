import { ConfigurationError } from '../errors/errors.js';
import type { Issue } from './issue.js';

/**
 * What an endpoint needs from a schema: Standard Schema 1, which zod, Valibot, ArkType and this package's schemas
 * implement. `In` is the type of the input, `Out` is the type of the validated output.
 */
export interface StandardSchema<out Out = unknown, out In = Out> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}

/** The result of validation by a Standard Schema. */
export type StandardResult<Out> =
  { readonly value: Out; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A validated value, or its issues. */
export type Validated<Out> =
  { readonly success: true; readonly data: Out } | { readonly success: false; readonly issues: readonly Issue[] };

/**
 * Validates a value with any Standard Schema.
 *
 * @throws {ConfigurationError} when the schema validates asynchronously.
 */
export function validate<Out>(schema: StandardSchema<Out, unknown>, value: unknown): Validated<Out> {
  const result = schema['~standard'].validate(value);
  if ('then' in result) {
    result.catch(() => undefined);
    throw new ConfigurationError('A schema of the endpoint is asynchronous; use one that validates synchronously');
  }
  if (!result.issues) return { success: true, data: result.value };
  return {
    success: false,
    issues: result.issues.map(({ message, path = [] }) => ({ message, path: path.map(keyOf) })),
  };
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === 'object' ? segment.key : segment;
}
