import type * as z from 'zod/v4/core';
import type { Issue } from './issue.js';

type ZodIssue = z.$ZodIssue;

/**
 * Formats zod's issues of `root` as sentences that name the field and what it accepts. They never contain values. `at`
 * is the path of `root`.
 */
export function formatIssues(issue: ZodIssue, root: unknown, at: readonly PropertyKey[] = []): Issue[] {
  const path = [...at, ...issue.path];
  const say = (message: string): Issue[] => [{ path, message: `${nameOf(path)} ${message}` }];
  switch (issue.code) {
    case 'custom':
      return [{ path, message: withPath(path, issue.message) }];
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `${nameOf([...path, key])} is not a field here`,
      }));
    case 'too_big':
      // A maximum of the user's own zod schema has another origin.
      return say(issue.origin === 'int' ? 'is beyond 2^53 and would be rounded' : 'does not fit');
    case 'invalid_union':
      return formatUnionIssue(issue, root, at);
    case 'invalid_type':
    case 'invalid_value':
      return say(takes(expectedBy(issue), issue.path, root));
    default:
      return say('does not fit');
  }
}

/** Formats the failure of the option that matched most of the value, because it is the most helpful one. */
function formatUnionIssue(
  issue: Extract<ZodIssue, { code: 'invalid_union' }>,
  root: unknown,
  at: readonly PropertyKey[],
): Issue[] {
  const { path, errors } = issue;
  const further = (each: ZodIssue): boolean =>
    each.path.length > 0 || each.code === 'custom' || each.code === 'too_big';
  const furthest = errors.find((each) => each.some(further));
  if (furthest)
    return furthest.flatMap((inner) => formatIssues({ ...inner, path: [...path, ...inner.path] }, root, at));
  const full = [...at, ...path];
  return [{ path: full, message: `${nameOf(full)} ${takes(expectedBy(issue), path, root)}` }];
}

/** The types and values that an issue names. */
function expectedBy(issue: ZodIssue): string[] {
  switch (issue.code) {
    case 'invalid_type':
      return [a(issue.expected)];
    case 'invalid_value':
      return issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value)));
    case 'invalid_union':
      return issue.errors.flatMap((each) => each.flatMap(expectedBy));
    default:
      return [];
  }
}

function takes(expected: readonly string[], path: readonly PropertyKey[], root: unknown): string {
  const what = [...new Set(expected)].join(' or ') || 'another value';
  return valueAt(path, root) === undefined ? `is missing; it takes ${what}` : `takes ${what}`;
}

/** Returns the value at a path; `undefined` if there is none. */
export function valueAt(path: readonly PropertyKey[], root: unknown): unknown {
  return path.reduce((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
}

/** Names the whole path in the message of a rule, which knows at most the name of its field. */
function withPath(path: readonly PropertyKey[], message: string): string {
  const name = nameOf(path);
  if (path.length === 0 || message.includes(name)) return message;
  const own = nameOf(path.slice(-1));
  return message.startsWith(own) ? name + message.slice(own.length) : `${name}: ${message}`;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the value' : `\`${path.map(String).join('.')}\``;
}

function a(type: string): string {
  if (type === 'int') return 'an integer';
  // The type that zod states for a missing field of any value.
  if (type === 'nonoptional') return 'a value';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
