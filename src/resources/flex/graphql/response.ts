import type { ErrorInBody } from '../../../core/operation/documented-error.js';
import { parseJson } from '../../../core/json/json.js';

/** Strings and comments. A string that is not closed ends with its line, which keeps the search linear. */
const ignored = /"""(?:\\"""|[^])*?(?:"""|$)|"(?:\\.|[^"\\\n])*(?:"|\\?)|#[^\n\r]*/g;

/**
 * Rejects a GraphQL document that is not a query, because this call is retried and a mutation must not be.
 *
 * The keyword of an operation is always outside strings, comments and brackets, so these are removed first.
 */
export function documentRule(document: string): string | undefined {
  if (document.trim() === '') return '`query` is empty; it takes a GraphQL query';
  const outside = withoutNested(document.replace(ignored, ' '));
  return /(?:^|[\s},])(?:mutation|subscription)\b(?!\s*:)/.test(outside)
    ? '`query` contains a mutation or subscription; this endpoint only reads'
    : undefined;
}

function withoutNested(text: string): string {
  let depth = 0;
  let outside = '';
  for (const character of text) {
    if ('{(['.includes(character)) depth += 1;
    else if ('})]'.includes(character)) depth -= 1;
    else if (depth === 0) outside += character;
    if (depth === 0 && '})]'.includes(character)) outside += ' ';
  }
  return outside;
}

/**
 * Parses a response without rounding. The service may send the data bare, as `{configuration}`, and `errors: null` where
 * there are none: both are read as GraphQL says it.
 */
export function parseResult(text: string): object {
  const body = parseJson(text);
  if (!isGraphqlResult(body)) return { data: body };
  const { errors, ...bare } = body;
  const { data = 'data' in body ? undefined : bare } = body;
  return errors === null || errors === undefined ? { data } : { data, errors };
}

function isGraphqlResult(body: unknown): body is { data?: unknown; errors?: unknown } {
  return typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);
}

/** The maximum number of errors that are read from one response. */
const maxErrors = 100;

/** The HTTP statuses that match the usual error codes of GraphQL servers. */
const statusOfCode = new Map(
  Object.entries({
    GRAPHQL_PARSE_FAILED: 400,
    GRAPHQL_VALIDATION_FAILED: 400,
    BAD_USER_INPUT: 400,
    UNAUTHENTICATED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    INTERNAL_SERVER_ERROR: 500,
  }),
);

/**
 * Returns the errors of a GraphQL response with status 200, even if it also has data; `undefined` if there are none.
 */
export function graphqlErrorInBody(body: unknown): ErrorInBody | undefined {
  if (!isGraphqlResult(body) || body.errors === undefined || body.errors === null) return undefined;
  const errors: unknown[] = Array.isArray(body.errors) ? body.errors : [body.errors];
  const causes = errors.slice(0, maxErrors).map(causeOf);
  const [first] = causes;
  if (!first) return undefined;
  return {
    status: first.status,
    code: first.code,
    text: first.message,
    causes: causes.map(({ status: _, ...rest }) => rest),
  };
}

interface GraphqlCause {
  readonly status: number | undefined;
  readonly code?: string;
  readonly message?: string;
}

function causeOf(error: unknown): GraphqlCause {
  if (typeof error !== 'object' || error === null)
    return { status: undefined, message: typeof error === 'string' ? error : 'an error without a message' };
  const { message, extensions } = error as { message?: unknown; extensions?: unknown };
  const { code, status, statusCode } = (extensions ?? {}) as Record<string, unknown>;
  const stated = [status, statusCode, code].map(numberOf).find((each) => each >= 400 && each < 600);
  return {
    status: stated ?? (typeof code === 'string' ? statusOfCode.get(code.toUpperCase()) : undefined),
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
}
