import { factsOf, inspect, isZod, unwrapped } from './describe.js';
import type { Issue, Path } from '../errors/issue.js';
import { formatIssue, valueAt, zodParse } from './issues.js';
import type { ZodIssues, ZodSchema } from './issues.js';
import { SetAside } from './set-aside.js';
import { validate } from './validate.js';
import type { StandardSchema } from './schema.js';

/** A difference between a value and its schema that did not prevent reading the rest. */
export interface Difference extends Issue {
  /** The type of the received value: `string`, `null`, `nothing`, ... */
  readonly received: string;
}

/** A value, its differences from the schema, and how many entries its main list lost because of them. */
export interface ReadValue {
  readonly value: unknown;
  readonly differences: readonly Difference[];
  readonly leftOut: number;
}

/** A value with more misfits is not read leniently, because that would block the event loop for seconds. */
const maxAside = 1000;
/** Each pass sets something aside that the passes before did not show, for example a field behind a rule. */
const maxPasses = 10;

/**
 * Parses a value. Where it does not fit, an optional field of another type is returned unchanged, and an invalid entry
 * of a list is left out. With `isRelaxed`, required fields and entries of lists are also returned unchanged.
 *
 * @returns the issues if the value cannot be read, because something required is missing or wrong.
 */
export function read(
  schema: StandardSchema,
  value: unknown,
  isRelaxed: boolean,
): ReadValue | { readonly issues: readonly Issue[] } {
  const { acceptsAny } = factsOf(schema);
  if (acceptsAny && (value === undefined || value === null)) return { value, differences: [], leftOut: 0 };
  if (acceptsAny && !isRelaxed) return read(schema, value, true);
  const found = inspect(schema);
  // Issues are about the value that the function in front of a schema returns.
  if (found.kind === 'preprocess') return read(found.of, found.reader(value), isRelaxed);
  if (!isZod(schema)) return readForeign(schema, value, isRelaxed);
  const result = zodParse(schema, value);
  if (result.success) return { value: result.data, differences: [], leftOut: 0 };
  return (
    readWithout(result.issues, schema, value, isRelaxed) ?? {
      issues: result.issues.map((issue) => formatIssue(issue, issue.path, value)),
    }
  );
}

/** Sets aside what does not fit, and parses the rest, until it fits; `undefined` if it cannot. */
function readWithout(
  first: ZodIssues,
  schema: ZodSchema & StandardSchema,
  value: unknown,
  isRelaxed: boolean,
): ReadValue | undefined {
  const aside = new SetAside(schema, value, isRelaxed);
  const differences: Difference[] = [];
  let issues = first;
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const places = issues.map((issue) => ({ issue, path: aside.placeOf(issue.path) }));
    const seen = places.filter(({ path }) => !aside.has(path));
    differences.push(...seen.map(({ issue, path }) => withReceived(formatIssue(issue, path, value), value)));
    if (!places.every(({ path }) => aside.add(path, pass)) || aside.count >= maxAside) break;
    const result = zodParse(schema, aside.rest());
    if (result.success) return { value: aside.putBack(result.data), differences, leftOut: aside.leftOut };
    issues = result.issues;
  }
  return factsOf(schema).acceptsAny === true || (isRelaxed && !hasMainList(schema))
    ? { value, differences, leftOut: 0 }
    : undefined;
}

/** A schema of another library validates the value as a whole. */
function readForeign(schema: StandardSchema, value: unknown, isRelaxed: boolean): ReturnType<typeof read> {
  const result = validate(schema, value);
  if (result.success) return { value: result.data, differences: [], leftOut: 0 };
  if (!isRelaxed) return { issues: result.issues };
  return { value, differences: result.issues.map((issue) => withReceived(issue, value)), leftOut: 0 };
}

function withReceived({ path, message }: Issue, root: unknown): Difference {
  return { path, message, received: kindAt(path, root) };
}

/** Whether a response has a main list, without which it has no content. */
function hasMainList(schema: StandardSchema): boolean {
  const found = unwrapped(schema);
  if (found.kind === 'object') return Object.values(found.shape).some((field) => factsOf(field).list === 'main');
  return found.kind === 'array';
}

/** The type of the value at a path. */
function kindAt(path: Path, root: unknown): string {
  const value = valueAt(path, root);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
