import { ConfigurationError } from '../errors/errors.js';
import { Redactor, userTexts } from '../errors/redactor.js';
import type { Issue } from '../errors/issue.js';
import { sentences, zodParse } from './issues.js';
import { LazySchema } from './schema.js';
import type { StandardSchema } from './schema.js';

/** A validated value, or its issues. */
export type Validated<Out> =
  { readonly success: true; readonly data: Out } | { readonly success: false; readonly issues: readonly Issue[] };

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
  const { then, issues, value: data } = resultOf(schema, value);
  if (then !== undefined)
    throw new ConfigurationError('A schema of the endpoint is asynchronous; use one that validates synchronously');
  if (issues === undefined || issues === null) return { success: true, data: data as Out };
  if (!Array.isArray(issues))
    throw new ConfigurationError('A schema of the endpoint returned `issues` that are no list');
  const redactor = new Redactor({ texts: userTexts(value) });
  return { success: false, issues: issues.map((issue) => issueOf(issue, redactor)) };
}

/** What a schema may return, whatever its type says. */
interface Returned {
  readonly then?: unknown;
  readonly issues?: unknown;
  readonly value?: unknown;
}

function resultOf(schema: StandardSchema, value: unknown): Returned {
  let result: unknown;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    const why =
      error instanceof Error ? `: ${new Redactor({ texts: userTexts(value) }).foreignText(error.message)}` : '';
    throw new ConfigurationError(`A schema of the endpoint failed${why}`, { cause: error });
  }
  if (typeof result !== 'object' || result === null)
    throw new ConfigurationError('A schema of the endpoint returned neither a `value` nor `issues`');
  // The rejection of an asynchronous schema is not the error of the call.
  if (result instanceof Promise) result.catch(() => undefined);
  return result;
}

/** Reads an issue of any shape. Its message must not repeat texts of the value. */
function issueOf(issue: unknown, redactor: Redactor): Issue {
  const { message, path } = (issue ?? {}) as { message?: unknown; path?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : 'the value does not fit';
  const segments: unknown[] = Array.isArray(path) ? path : [];
  return { message: redactor.foreignText(text), path: segments.map(keyOf).filter(isKey) };
}

function keyOf(segment: unknown): unknown {
  return typeof segment === 'object' && segment !== null ? (segment as { key?: unknown }).key : segment;
}

function isKey(key: unknown): key is PropertyKey {
  return ['string', 'number', 'symbol'].includes(typeof key);
}
