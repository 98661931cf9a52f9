import { readBody } from './buffered-response.js';
import type { BufferedResponse, ResponseContext } from './buffered-response.js';
import type { Endpoint } from '../endpoint.js';
import { UnexpectedResponseError } from '../errors/errors.js';
import { redactSecrets, withoutCookies } from '../errors/redact.js';
import { apiErrorFrom } from './error-response.js';
import type { Issue } from '../schema/issue.js';
import type { Schema } from '../schema/schema.js';
import type { ResolvedOptions } from '../options/resolve-options.js';

type Validation = Pick<ResolvedOptions, 'responseValidation' | 'onDrift'>;

/**
 * The parsed output of a success.
 *
 * @throws {UnexpectedResponseError} when the body is not JSON, or has lost its documented shape.
 */
export function parseResponse(
  answer: BufferedResponse,
  schema: Schema,
  asked: ResponseContext,
  { responseValidation, onDrift }: Validation,
): unknown {
  const { json, value } = readBody(answer.text);
  if (!json) throw unexpected('a body that is not JSON', answer, value, [], asked);
  if (asked.endpoint.errorInBody?.(value)) throw apiErrorFrom(answer, asked).error;
  if (responseValidation === 'off') return value;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  if (responseValidation === 'report') {
    if (onDrift) reportDrift(asked.endpoint, issues, value, onDrift);
    return value;
  }
  const what =
    value === undefined
      ? 'an empty body'
      : `a body of another shape: ${issues.map(({ message }) => message).join('; ')}`;
  throw unexpected(what, answer, value, issues, asked);
}

function reportDrift(
  endpoint: Endpoint,
  issues: readonly Issue[],
  value: unknown,
  onDrift: NonNullable<Validation['onDrift']>,
): void {
  for (const { path, message } of issues) {
    try {
      onDrift({ endpoint, path, expected: message, received: kindAt(path, value) });
    } catch {
      // A write that was done must not be told as failed because nobody could take note of its answer.
    }
  }
}

/** What stands at a place, without its value. */
function kindAt(path: readonly PropertyKey[], root: unknown): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function unexpected(
  what: string,
  answer: BufferedResponse,
  body: unknown,
  issues: readonly Issue[],
  asked: ResponseContext,
): Error {
  const { endpoint, attempts } = asked;
  const done =
    endpoint.retry === 'safe'
      ? ''
      : ' The service reported success: the write was most likely carried out; do not repeat it blindly.';
  const message = `${endpoint.method} ${endpoint.path} responded ${answer.status} with ${what}.${done}`;
  return new UnexpectedResponseError(redactSecrets(message, asked.secrets()), {
    status: answer.status,
    headers: withoutCookies(answer.headers),
    body,
    issues,
    endpoint,
    attempts,
  });
}
