import * as z from 'zod/v4/core';
import type { Issue, Path } from '../errors/issue.js';

export type ZodIssues = readonly z.$ZodIssue[];

/** A zod schema, of this package or of the user. Users have no zod of ours, so its types are no part of the declarations. */
interface ZodSchema {
  readonly _zod: unknown;
}

/** The schemas that have read a value. Zod generates code for one that reads a second: for a single value, that takes longer. */
const used = new WeakSet<ZodSchema>();

/** A parsed value, or zod's issues. Each issue says what its place takes, in words of this package. */
export function zodParse(
  schema: ZodSchema,
  value: unknown,
): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly issues: ZodIssues } {
  const jitless = !used.has(schema);
  used.add(schema);
  // The words are given to this parse alone: zod's global configuration belongs to the application.
  const result = z.safeParse(schema as z.$ZodType, value, { error: expectedBy, jitless });
  if (result.success) return result;
  return { success: false, issues: result.error.issues.flatMap(innermost) };
}

/** Formats issues of zod about a value. */
export function sentences(issues: ZodIssues, value: unknown): readonly Issue[] {
  return issues.map((issue) => formatIssue(issue, issue.path, value));
}

/** What a value takes, in words: the message that zod puts into an issue. It never contains the value. */
function expectedBy(issue: z.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return a(isInteger(issue.inst) ? 'int' : issue.expected);
    case 'invalid_value':
      return issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ');
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((each) => each.filter(isType).map(({ message }) => message)))].join(
        ' or ',
      );
    default:
      return 'Invalid input';
  }
}

function isType({ code }: z.$ZodIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
}

function isInteger(schema: unknown): boolean {
  return (schema as { _zod?: { def: { format?: unknown } } } | undefined)?._zod?.def.format === 'safeint';
}

function a(type: string): string {
  if (type === 'int') return 'an integer';
  // The type that zod states for a missing field of any value.
  if (type === 'nonoptional') return 'a value';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/**
 * Replaces the issue of a union by those of the option that matched most of the value, and the issue of several unknown
 * fields by one for each.
 */
function innermost(issue: z.$ZodIssue): z.$ZodIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
  if (issue.code !== 'invalid_union') return [issue];
  const option = issue.errors.find((each) => each.some(isInside));
  return option?.flatMap((each) => innermost({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

/** Whether an issue shows that the value has the type of the schema, and that something in it is wrong. */
export function isInside({ code, path }: Pick<z.$ZodIssue, 'code' | 'path'>): boolean {
  return path.length > 0 || code === 'custom' || code === 'too_big' || code === 'too_small';
}

/**
 * Formats an issue of zod as a sentence that names the field and what it takes. `path` is where the field is in `root`.
 * The only place where the sentences of `InvalidInputError` and of drift are made.
 */
export function formatIssue(issue: z.$ZodIssue, path: Path, root: unknown): Issue {
  return {
    path,
    message: issue.code === 'custom' ? withPath(path, issue.message) : `${nameOf(path)} ${verb(issue, path, root)}`,
  };
}

function verb(issue: z.$ZodIssue, path: Path, root: unknown): string {
  if (issue.code === 'unrecognized_keys') return 'is not a field here';
  // A limit of the user's own zod schema has another origin.
  if ((issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int')
    return 'is beyond 2^53 and would be rounded';
  if (!isType(issue)) return 'does not fit';
  const takes = `takes ${issue.message || 'another value'}`;
  return valueAt(path, root) === undefined ? `is missing; it ${takes}` : takes;
}

/** Returns the value at a path; `undefined` if there is none. */
export function valueAt(path: Path, root: unknown): unknown {
  return path.reduce((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
}

/** Names the whole path in the message of a rule, which knows at most the name of its field. */
function withPath(path: Path, message: string): string {
  const name = nameOf(path);
  if (path.length === 0 || message.includes(name)) return message;
  const own = nameOf(path.slice(-1));
  return message.startsWith(own) ? name + message.slice(own.length) : `${name}: ${message}`;
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the value' : `\`${path.map(String).join('.')}\``;
}
