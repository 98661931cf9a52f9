import type { ApiErrorCause, ApiErrorDetails } from '../errors/errors.js';

/** What a refusal says of itself, and the body it stood in. */
export type ErrorBody = Pick<ApiErrorDetails, 'code' | 'text' | 'causes' | 'body'>;

/** Reads code, text and causes out of whatever body a refusal has. */
export function parseErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { text: body, code: undefined, causes: [], body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { causes: [], body };
  const { error, code, message, error_description, cause } = body as Record<string, unknown>;
  const stated = [error, code].map((each) => textOf(each)).filter((each) => each !== undefined);
  const said = [message, error_description, error].map((each) => textOf(each));
  return {
    code: stated.find(looksLikeCode) ?? said.slice(0, 1).find(isBareCode) ?? stated[0],
    text: said.find((each) => each !== undefined),
    causes: causesOf(cause),
    body,
  };
}

function causesOf(cause: unknown): ApiErrorCause[] {
  if (cause === null || cause === undefined || cause === '') return [];
  if (Array.isArray(cause)) return cause.flatMap((each) => causesOf(each));
  if (typeof cause === 'object') {
    const { code, message, cause_id } = cause as Record<string, unknown>;
    const named = textOf(code) ?? textOf(cause_id);
    const said = textOf(message);
    return [{ ...(named !== undefined && { code: named }), ...(said !== undefined && { message: said }) }];
  }
  const word = textOf(cause);
  if (word === undefined) return [];
  return [looksLikeCode(word) ? { code: word, message: word } : { message: word }];
}

function looksLikeCode(word: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]*$/.test(word);
}

/** A message is read as a code only in lower case: `Forbidden` is a message, `not_found` a code. */
function isBareCode(word: string | undefined): boolean {
  return word !== undefined && /^[a-z][a-z0-9_.-]*$/.test(word);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}
