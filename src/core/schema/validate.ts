import { ConfigurationError } from '../errors/errors.js';
import { Redactor, userTexts } from '../errors/redactor.js';
import { SellerError } from '../errors/seller-error.js';
import type { Issue } from '../errors/issue.js';
import { isObject } from '../json/plain-object.js';
import { sentences, zodParse } from './issues.js';
import { LazySchema } from './schema.js';
import type { StandardIssue, StandardSchema } from './schema.js';

/** A validated value, or its issues. */
export type Validated<Out> =
  | { readonly success: true; readonly data: Out }
  | { readonly success: false; readonly issues: readonly Issue[] };

/**
 * Validates a value with any Standard Schema. The issues of a schema of the user do not repeat texts of the value.
 *
 * @throws {ConfigurationError} when the schema validates asynchronously, fails, or returns no result.
 */
export function validate<Out>(schema: StandardSchema<Out, unknown>, value: unknown): Validated<Out> {
  if (schema instanceof LazySchema) {
    const result = zodParse(schema, value);
    return result.success ? (result as Validated<Out>) : { success: false, issues: sentences(result.issues, value) };
  }
  try {
    return resultOf(schema, value);
  } catch (error) {
    if (error instanceof SellerError) throw error;
    const redactor = new Redactor({ texts: userTexts(value) });
    const why = error instanceof Error ? `: ${redactor.foreignText(error.message)}` : '';
    throw new ConfigurationError(`A schema of the endpoint failed${why}`, { cause: error });
  }
}

function resultOf<Out>(schema: StandardSchema<Out, unknown>, value: unknown): Validated<Out> {
  const result: unknown = schema['~standard'].validate(value);
  if (!isObject(result))
    throw new ConfigurationError('A schema of the endpoint returned neither a `value` nor `issues`');
  // The rejection of an asynchronous schema is not the error of the call.
  if (result instanceof Promise) result.catch(() => undefined);
  if ('then' in result)
    throw new ConfigurationError('A schema of the endpoint is asynchronous; use one that validates synchronously');
  const { issues, ...found } = result as { issues?: readonly StandardIssue[] | null; value?: Out };
  if (issues === undefined || issues === null) return { success: true, data: found.value as Out };
  const redactor = new Redactor({ texts: userTexts(value) });
  const read = issues.map(({ message, path = [] }) => ({
    message: redactor.foreignText(message),
    path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)),
  }));
  return { success: false, issues: read };
}
