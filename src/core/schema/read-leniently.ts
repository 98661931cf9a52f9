import type * as z from 'zod/v4/core';
import type { Facts } from './facts.js';
import { formatIssues, valueAt } from './format-issues.js';
import { factsOf, inspect } from './inspect.js';
import type { Inspected } from './inspect.js';
import type { Issue } from './issue.js';
import { noteLeftOut } from './left-out.js';
import { LazySchema, PreprocessSchema, parseWithZod } from './lazy-schema.js';
import { validate } from './standard-schema.js';
import type { StandardSchema } from './standard-schema.js';

/** A difference between a value and its schema that did not prevent reading the rest. */
export interface Difference extends Issue {
  /** The type of the received value: `string`, `null`, `nothing`, ... */
  readonly received: string;
}

/** A value, and its differences from the schema. */
export interface ReadValue {
  readonly value: unknown;
  readonly differences: readonly Difference[];
}

type Path = readonly PropertyKey[];
/** `issues`: why the value cannot be read. */
type ReadResult = ReadValue | { readonly issues: readonly Difference[] };

/**
 * Reads a value that does not fit its schema: an optional field of another type is returned unchanged, and an invalid
 * entry of a list is left out. With `isRelaxed`, required fields and entries of lists are also returned unchanged.
 *
 * @returns `undefined` if the value cannot be read, because something required is missing or wrong.
 */
export function readLeniently(schema: StandardSchema, value: unknown, isRelaxed: boolean): ReadValue | undefined {
  const result = new LenientReader(isRelaxed).read(schema, value, []);
  if ('value' in result) return result;
  return isRelaxed && !hasMainList(schema) ? { value, differences: result.issues } : undefined;
}

/** A value with more misfits is not read leniently, because that would block the event loop for seconds. */
const maxMisfits = 1000;

class LenientReader {
  readonly #isRelaxed: boolean;
  #misfits = 0;

  constructor(isRelaxed: boolean) {
    this.#isRelaxed = isRelaxed;
  }

  read(
    schema: StandardSchema,
    value: unknown,
    path: Path,
    role: Facts['list'] = path.length === 0 ? 'main' : undefined,
  ): ReadResult {
    const strict = readStrictly(schema, value, path);
    if ('value' in strict) return strict;
    if ((this.#misfits += 1) > maxMisfits) return strict;
    const found = inspect(schema);
    const ownRole = factsOf(schema).list ?? role;
    switch (found.kind) {
      case 'preprocess':
        return this.#readConverted(schema, found, value, path, ownRole);
      case 'optional':
      case 'nullable':
        return this.#readOptional(found.of, value, path, ownRole);
      case 'union':
        return this.#readUnion(found.of, value, path, ownRole) ?? strict;
      case 'array':
        return this.#readArray(found.of, value, path, ownRole) ?? strict;
      case 'object':
        return this.#readObject(found.shape, found.unknownKeys === 'drop', value, path) ?? strict;
      default:
        return strict;
    }
  }

  #readConverted(
    schema: StandardSchema,
    { of, reader }: Inspected & { kind: 'preprocess' },
    value: unknown,
    path: Path,
    role: Facts['list'],
  ): ReadResult {
    const result = this.read(of, reader(value), path, role);
    if ('value' in result && schema instanceof PreprocessSchema) schema.note(result.value, value);
    return result;
  }

  #readOptional(of: StandardSchema, value: unknown, path: Path, role: Facts['list']): ReadResult {
    const result = this.read(of, value, path, role);
    return 'value' in result || role !== undefined ? result : { value, differences: result.issues };
  }

  #readUnion(
    options: readonly StandardSchema[],
    value: unknown,
    path: Path,
    role: Facts['list'],
  ): ReadResult | undefined {
    for (const option of options) {
      const result = this.read(option, value, path, role);
      if ('value' in result) return result;
    }
    return undefined;
  }

  #readArray(of: StandardSchema, value: unknown, path: Path, role: Facts['list']): ReadResult | undefined {
    if (!Array.isArray(value)) return undefined;
    const entries: ReadResult[] = [];
    for (const [index, entry] of value.entries()) {
      entries.push(this.#readEntry(of, entry, [...path, index], role));
      if (this.#misfits > maxMisfits) return undefined;
    }
    const issues = entries.flatMap((entry) => ('issues' in entry ? entry.issues : []));
    const read = entries.filter((entry) => 'value' in entry);
    const differences = [...issues, ...read.flatMap((entry) => entry.differences)];
    const isEntryLost =
      role === 'whole' || issues.some((issue) => role === undefined && issue.path.length === path.length + 1);
    if (issues.length > 0 && (isEntryLost || read.length === 0)) return { issues: differences };
    const delivered = read.map((entry) => entry.value);
    if (read.length < entries.length) noteLeftOut(delivered, entries.length - read.length);
    return { value: delivered, differences };
  }

  /** With `isRelaxed`, every entry is returned, except `null` in a main list. */
  #readEntry(of: StandardSchema, value: unknown, path: Path, role: Facts['list']): ReadResult {
    const result = this.read(of, value, path, undefined);
    if ('value' in result || !this.#isRelaxed || (role === 'main' && value === null)) return result;
    return { value, differences: result.issues };
  }

  #readObject(
    shape: Readonly<Record<string, StandardSchema>>,
    isReduced: boolean,
    value: unknown,
    path: Path,
  ): ReadResult | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const given = value as Readonly<Record<string, unknown>>;
    const read: Record<string, unknown> = isReduced ? {} : { ...given };
    const differences: Difference[] = [];
    const issues: Difference[] = [];
    for (const [name, field] of Object.entries(shape)) {
      const result = this.read(field, given[name], [...path, name], undefined);
      if ('value' in result) differences.push(...result.differences);
      else if (this.#isRelaxed && factsOf(field).list !== 'main') differences.push(...result.issues);
      else issues.push(...result.issues);
      if ('value' in result && result.value !== undefined) read[name] = result.value;
      else if (name in given) read[name] = given[name];
    }
    return issues.length > 0 ? { issues: [...issues, ...differences] } : { value: read, differences };
  }
}

function readStrictly(schema: StandardSchema, value: unknown, path: Path): ReadResult {
  if (!isZod(schema)) return readForeign(schema, value);
  if (schema instanceof LazySchema && schema.fits(value)) return { value, differences: [] };
  const result = parseWithZod(schema, value);
  if (result.success) return { value: result.data, differences: [] };
  const found = result.error.issues.slice(0, maxMisfits);
  const issues = found.flatMap((issue) => formatIssues(issue, value, path));
  return { issues: issues.map((issue) => withReceived(issue, path, value)) };
}

function isZod(schema: StandardSchema): schema is StandardSchema & z.$ZodType {
  return '_zod' in schema;
}

/** A schema of another library is validated as a whole; it is part of no other schema. */
function readForeign(schema: StandardSchema, value: unknown): ReadResult {
  const result = validate(schema, value);
  if (result.success) return { value: result.data, differences: [] };
  return { issues: result.issues.map((issue) => withReceived(issue, [], value)) };
}

function withReceived(issue: Issue, path: Path, value: unknown): Difference {
  return { ...issue, received: kindAt(issue.path.slice(path.length), value) };
}

/** Whether a response has a main list, without which it has no content. */
function hasMainList(schema: StandardSchema): boolean {
  const found = inspect(schema);
  if (found.kind === 'preprocess') return hasMainList(found.of);
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
