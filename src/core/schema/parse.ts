import * as z from 'zod/v4/core';
import { expectedBy, formatIssue, innermost } from './format-issues.js';
import type { Issue } from './issue.js';

export type ZodSchema = z.$ZodType;
export type ZodIssues = readonly z.$ZodIssue[];

/** A parsed value, or its issues as sentences. */
export type ParseResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/** A parsed value, or zod's issues. Each issue says what its place takes, in words of this package. */
export function zodParse(
  schema: z.$ZodType,
  value: unknown,
): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly issues: ZodIssues } {
  // The words are given to this parse alone: zod's global configuration belongs to the application.
  const result = z.safeParse(schema, value, { error: expectedBy });
  if (result.success) return result;
  return { success: false, issues: result.error.issues.flatMap(innermost) };
}

/** Parses a value with a zod schema, also one of the user. */
export function parseWithZod(schema: z.$ZodType, value: unknown): ParseResult {
  const result = zodParse(schema, value);
  if (result.success) return result;
  return { success: false, error: { issues: result.issues.map((issue) => formatIssue(issue, issue.path, value)) } };
}
