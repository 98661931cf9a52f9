import { ConfigurationError, type Issue, type Path } from '../errors/errors.js';
import { Redactor, userTexts } from '../errors/redactor.js';
import { SellerError } from '../errors/seller-error.js';
import { isObject } from '../json/json.js';
import {
  factsOf,
  formatIssue,
  inspect,
  isInside,
  LazySchema,
  sentences,
  unwrapped,
  valueAt,
  zodParse,
} from './schema.js';
import type { Facts, Inspected, Schema, Shape, StandardIssue, StandardSchema, ZodIssues } from './schema.js';

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

/** A value with more issues is not read leniently, because that would block the event loop for seconds. */
const maxIssues = 1000;

/**
 * Reads a response. Where it does not fit, an optional field of another type is returned unchanged, and an invalid entry
 * of a list is left out. With `isRelaxed`, required fields and entries of lists are also returned unchanged.
 *
 * @returns the issues if the value cannot be read, because something required is missing or wrong.
 */
export function read(
  schema: StandardSchema,
  value: unknown,
  isRelaxed: boolean,
): ReadValue | { readonly issues: readonly Issue[] } {
  if (!('_zod' in schema)) return readForeign(schema, value, isRelaxed);
  const result = zodParse(schema, value);
  if (result.success) return { value: result.data, differences: [], leftOut: 0 };
  return readParts(schema, value, isRelaxed, result.issues);
}

/** Reads the parts of a value that does not fit as a whole. */
function readParts(
  schema: StandardSchema,
  value: unknown,
  isRelaxed: boolean,
  issues: ZodIssues,
): ReturnType<typeof read> {
  const found = inspect(schema);
  // Issues are about the value that the function in front of a schema returns.
  if (found.kind === 'preprocess') return readParts(found.of, found.reader(value), isRelaxed, issues);
  const { acceptsAny = false } = factsOf(schema);
  if (acceptsAny && (value === undefined || value === null)) return { value, differences: [], leftOut: 0 };
  const parts = new PartReader(value, isRelaxed || acceptsAny);
  const part = issues.length < maxIssues ? parts.inside(schema, value, [], issues) : undefined;
  if (part && 'value' in part) return { value: part.value, differences: parts.differences, leftOut: parts.leftOut };
  if (!acceptsAny && (!isRelaxed || hasMainList(schema))) return { issues: sentences(issues, value) };
  const differences = part ? parts.differences : issues.map((issue) => differenceOf(issue, issue.path, value));
  return { value, differences, leftOut: 0 };
}

/** A schema of another library validates the value as a whole. */
function readForeign(schema: StandardSchema, value: unknown, isRelaxed: boolean): ReturnType<typeof read> {
  const result = validate(schema, value);
  if (result.success) return { value: result.data, differences: [], leftOut: 0 };
  if (!isRelaxed) return { issues: result.issues };
  const differences = result.issues.map((issue) => ({ ...issue, received: kindAt(issue.path, value) }));
  return { value, differences, leftOut: 0 };
}

/** A part as it was read, or where it does not fit: its own type is wrong, or something that it needs. */
type Part = { readonly value: unknown } | { readonly misfit: 'type' | 'content' };

/** Reads a value part by part, and notes where it differs from its schema. */
class PartReader {
  readonly differences: Difference[] = [];
  leftOut = 0;
  readonly #root: unknown;
  readonly #isRelaxed: boolean;

  constructor(root: unknown, isRelaxed: boolean) {
    this.#root = root;
    this.#isRelaxed = isRelaxed;
  }

  /** Reads the part at a path. `issues` are those that are known of it. */
  #read(schema: Schema, value: unknown, path: Path, issues?: ZodIssues): Part {
    if (issues) return this.inside(schema, value, path, issues);
    const result = zodParse(schema, value);
    return result.success ? { value: result.data } : this.inside(schema, value, path, result.issues);
  }

  /** Reads what is in a part that does not fit as a whole. `role` is what the schema around it says about a list. */
  inside(schema: StandardSchema, value: unknown, path: Path, issues: ZodIssues, role?: Facts['list']): Part {
    const known = this.differences.length;
    const { list = role, change } = factsOf(schema) as Facts & { change?: (value: unknown) => unknown };
    const part = this.#insideKind(inspect(schema), value, path, issues, list);
    // What no part explains is about the whole: another type, or a rule between fields.
    if (this.differences.length > known) return change && 'value' in part ? { value: change(part.value) } : part;
    for (const issue of issues) this.differences.push(differenceOf(issue, [...path, ...issue.path], this.#root));
    return { misfit: 'type' };
  }

  #insideKind(found: Inspected, value: unknown, path: Path, issues: ZodIssues, role: Facts['list']): Part {
    switch (found.kind) {
      case 'nullable':
        return this.inside(found.of, value, path, issues, role);
      case 'preprocess':
        return this.inside(found.of, found.reader(value), path, issues, role);
      case 'optional': {
        const part = this.inside(found.of, value, path, issues, role);
        return 'value' in part || (role !== undefined && !this.#isRelaxed) || role === 'main' ? part : { value };
      }
      case 'union': {
        const options = found.of.map((option) => [option, issuesOf(option, value)] as const);
        const [option, inOption = []] = options.find(([, each]) => each.some(isInside)) ?? [];
        return option ? this.inside(option, value, path, inOption, role) : { misfit: 'type' };
      }
      case 'array':
        return Array.isArray(value) ? this.#list(found.of, value, path, issues, role) : { misfit: 'type' };
      case 'object':
        return isObject(value) ? this.#object(found, value, path, issues) : { misfit: 'type' };
      default:
        return { misfit: 'type' };
    }
  }

  #list(of: Schema, list: readonly unknown[], path: Path, issues: ZodIssues, role: Facts['list']): Part {
    const below = byPart(issues);
    const isMain = (role ?? (path.length === 0 ? 'main' : undefined)) === 'main';
    const entries: unknown[] = [];
    let fits = true;
    for (const [index, entry] of list.entries()) {
      const part = this.#read(of, entry, [...path, index], below.get(index));
      if ('value' in part) entries.push(part.value);
      else if (this.#isRelaxed && !(isMain && entry === null)) entries.push(entry);
      // An entry of another type puts the whole list into question, unless the response is about the list.
      else if (!isMain && (role === 'whole' || part.misfit === 'type')) fits = false;
    }
    if (!fits || (entries.length === 0 && list.length > 0)) return { misfit: 'content' };
    if (isMain) this.leftOut += list.length - entries.length;
    return { value: entries };
  }

  #object(
    { shape, unknownKeys }: ObjectKind,
    value: Readonly<Record<string, unknown>>,
    path: Path,
    issues: ZodIssues,
  ): Part {
    const below = byPart(issues);
    const fields: [string, unknown][] = [];
    let fits = true;
    for (const [name, field] of Object.entries(shape)) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const part = this.#read(field, given, [...path, name], below.get(name));
      const isKept = 'value' in part || (this.#isRelaxed && factsOf(field).list !== 'main');
      const kept = 'value' in part ? part.value : given;
      if (!isKept) fits = false;
      else if (kept !== undefined || Object.hasOwn(value, name)) fields.push([name, kept]);
    }
    for (const issue of issues.filter(isUnknownField))
      this.differences.push(differenceOf(issue, [...path, ...issue.path], this.#root));
    const others = unknownKeys === 'drop' ? [] : Object.entries(value).filter(([name]) => !isIn(shape, name));
    return fits ? { value: Object.fromEntries([...fields, ...others]) } : { misfit: 'content' };
  }
}

/** The issues of each field or entry, with their paths in it. */
function byPart(issues: ZodIssues): ReadonlyMap<PropertyKey, ZodIssues> {
  const parts = new Map<PropertyKey, ZodIssues[number][]>();
  for (const issue of issues) {
    const [key, ...path] = issue.path;
    if (key === undefined) continue;
    const below = parts.get(key) ?? [];
    below.push({ ...issue, path });
    parts.set(key, below);
  }
  return parts;
}

function isUnknownField({ code, path }: ZodIssues[number]): boolean {
  return code === 'unrecognized_keys' && path.length === 1;
}

type ObjectKind = Extract<Inspected, { readonly kind: 'object' }>;

/** Whether a field is read elsewhere, or would become the prototype. */
function isIn(shape: Shape, name: string): boolean {
  return Object.hasOwn(shape, name) || name === '__proto__';
}

function issuesOf(schema: Schema, value: unknown): ZodIssues {
  const result = zodParse(schema, value);
  return result.success ? [] : result.issues;
}

function differenceOf(issue: ZodIssues[number], path: Path, root: unknown): Difference {
  return { ...formatIssue(issue, path, root), received: kindAt(path, root) };
}

/** Whether a response has a main list, without which it has no content. */
function hasMainList(schema: StandardSchema): boolean {
  return isObjectWithMainList(schema) || unwrapped(schema).kind === 'array';
}

/** Found once for each schema. */
const objectsWithMainList = new WeakMap<StandardSchema, boolean>();

/** Whether a response is an object with a main list. */
export function isObjectWithMainList(schema: StandardSchema): boolean {
  let known = objectsWithMainList.get(schema);
  if (known === undefined) {
    const found = unwrapped(schema);
    known = found.kind === 'object' && Object.values(found.shape).some((field) => factsOf(field).list === 'main');
    objectsWithMainList.set(schema, known);
  }
  return known;
}

/** The type of the value at a path. */
function kindAt(path: Path, root: unknown): string {
  const value = valueAt(path, root);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

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
