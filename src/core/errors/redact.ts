import { withoutHeaders } from './response-headers.js';
import type { ResponseHeaders } from './response-headers.js';

const mask = '[redacted]';
const secretFields =
  /("?(?:access_token|refresh_token|client_secret|authorization|set-cookie|cookie)"?\s*[=:]\s*"?)[^"&\s,}]+/gi;
const bearer = /\bbearer\s+[\w.~+/=-]+/gi;
// Every pattern is bounded and starts at a border: a long text must not cost the square of its length.
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/g;
/** Digits in groups, or with a plus: digits in one row are an id, and ids are needed. */
const phone = /(?<![\w.:-])(?:\+\d|\(\d{1,5}\)[\s.-]?\d|\d{1,12}[\s.-]{1,3}(?=[\d(]))[\d\s().-]{5,24}\d(?![\w:])/g;
const notPhone = /^(?:\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){2,3}(?!\d))/;

/** Masks what a text must not show: the given secrets, tokens and e-mail addresses. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, mask);
  return clean.replace(secretFields, `$1${mask}`).replace(bearer, `Bearer ${mask}`).replace(email, mask);
}

/** Also masks phone numbers and echoes of what a person wrote: for texts of the service. */
export function redactText(text: string, secrets: readonly string[] = [], userTexts: readonly string[] = []): string {
  const withoutEchoes = userTexts.reduce(maskEcho, text);
  return redactSecrets(withoutEchoes, secrets).replace(phone, (found) => (isPhone(found) ? mask : found));
}

function isPhone(found: string): boolean {
  return found.replace(/\D/g, '').length >= 8 && !notPhone.test(found);
}

/** This many characters of a person's text in a row are an echo; fewer may be chance. */
const echoLength = 12;

/** Masks every part of a text that repeats the beginning of a person's text, as far as it repeats it. */
function maskEcho(text: string, userText: string): string {
  if (userText.length < 4) return text;
  const start = userText.slice(0, echoLength);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, from)) {
    let length = start.length;
    while (length < userText.length && text[at + length] === userText[length]) length += 1;
    parts.push(text.slice(from, at), mask);
    from = at + length;
  }
  return parts.join('') + text.slice(from);
}

const privateHeaders = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-api-key']);

/** Whether the value of a header is secret. */
export function isPrivateHeader(name: string): boolean {
  return privateHeaders.has(name.toLowerCase());
}

/** The secrets in headers: their values, and what follows the scheme of an `authorization`. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isPrivateHeader(name) ? [value] : []));
  return values.flatMap((value) => [value, value.replace(/^\w+\s+/, '')]);
}

/** Headers without cookies, for errors. */
export function withoutCookies(headers: ResponseHeaders): ResponseHeaders {
  return withoutHeaders(headers, privateHeaders);
}

/** A URL without the token that may be in its query. */
export function redactUrl(url: string): string {
  if (!url.includes('access_token=')) return url;
  return url.replace(/([?&]access_token=)[^&#]*/g, `$1${mask}`);
}

/** The texts of an input that a person may have written: no message repeats them. */
export function userTexts(input: unknown): string[] {
  if (!isPlain(input)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : userTexts(value),
  );
}

/** Files, bytes and streams are not searched: they may be long, or contain themselves. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** A body with the texts of people masked. */
export function redactUserTexts(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redactUserTexts);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === 'text' && typeof value === 'string' ? mask : redactUserTexts(value),
    ]),
  );
}

/** An error that may be shown: itself, unless it contains a secret; then a copy with its name, code and redacted message. */
export function redactError(error: unknown, secrets: readonly string[]): unknown {
  return contains(error, secrets, 4) ? redactedCopy(error, secrets) : error;
}

function redactedCopy(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return new Error('the thrown value contained a secret and is not shown');
  const { name, stack, cause } = error;
  const copy = new Error(
    redactSecrets(error.message, secrets),
    cause === undefined ? {} : { cause: redactError(cause, secrets) },
  );
  const { code } = error as { code?: unknown };
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: stack && redactSecrets(stack, secrets), configurable: true });
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

/** Whether a value, or a value within `depth` steps of it, contains a secret. */
function contains(value: unknown, secrets: readonly string[], depth: number): boolean {
  if (typeof value === 'string') return secrets.some((secret) => secret.length >= 4 && value.includes(secret));
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  // By their tags: on Node, naming the two classes would load the platform's `fetch`.
  const tag = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (tag === 'Headers') return [...(value as Headers)].some(([, each]) => contains(each, secrets, 1));
  if (tag === 'Request') {
    const { headers, url } = value as Request;
    return contains(headers, secrets, 2) || contains(url, secrets, 1);
  }
  try {
    return Object.getOwnPropertyNames(value).some((name) =>
      contains((value as Record<string, unknown>)[name], secrets, depth - 1),
    );
  } catch {
    // A value that cannot be searched cannot be shown.
    return true;
  }
}
