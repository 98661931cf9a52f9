import { isPlainObject } from '../json/plain-object.js';
import { changedHeaders } from './response-headers.js';
import type { ResponseHeaders } from './response-headers.js';
import { maskEchoes } from './echoes.js';
import { formsOf, isSecretName, maskForms, maskSecretFields } from './secrets.js';
import type { IsSecretName } from './secrets.js';

const mask = '[redacted]';
const bearer = /\bbearer\s+[\w.~+/=-]+/gi;
// Every pattern is bounded and starts at a word boundary, so that the time is linear in the length of the text.
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/g;
/** Only digits in groups or with a plus: a number without separators may be an id, and ids are not masked. */
const phone = /(?<![\w.:-])(?:\+\d|\(\d{1,5}\)[\s.-]?\d|\d{1,12}[\s.-]{1,3}(?=[\d(]))[\d\s().-]{5,24}\d(?![\w:])/g;
const notPhone = /^(?:\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){2,3}(?!\d))/;

/** Masks the given secrets, tokens and e-mail addresses in a text. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  const clean = maskSecretFields(maskSecrets(text, secrets), mask);
  return clean.replace(bearer, `Bearer ${mask}`).replace(email, mask);
}

/** Masks only the given secrets, also URL-encoded, as JSON and as base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return maskForms(text, formsOf(secrets), mask);
}

/** Like `redactSecrets`, and also masks phone numbers and echoes of user texts. For texts of the service. */
export function redactText(text: string, secrets: readonly string[] = [], userTexts: readonly string[] = []): string {
  const withoutEchoes = userTexts.reduce((rest, userText) => maskEchoes(rest, userText, mask), text);
  return redactSecrets(withoutEchoes, secrets).replace(phone, (found) => (isPhone(found) ? mask : found));
}

function isPhone(found: string): boolean {
  return found.replace(/\D/g, '').length >= 8 && !notPhone.test(found);
}

/** Shorter parts of a secret, such as a language in a cookie, may be words of a message. */
const shortestPart = 8;

/** The secrets in headers: their values, with and without an authorization scheme, and the values of their parts. */
export function secretsIn(headers: Readonly<Record<string, string>>, isSecret: IsSecretName): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isSecret(name) ? [value] : []));
  return values.flatMap((value) => [value, value.replace(/^\w+\s+/, ''), ...partsOf(value)]);
}

/** The values of `sid=abc; theme=dark`. */
function partsOf(value: string): string[] {
  const parts = value.split(/[;,]/).map((part) => part.slice(part.indexOf('=') + 1).trim());
  return parts.filter((part) => part.length >= shortestPart);
}

/** Response headers for errors: without cookies and other secret headers, and with echoes of the secrets masked. */
export function redactHeaders(
  headers: ResponseHeaders,
  secrets: readonly string[],
  isSecret: IsSecretName,
): ResponseHeaders {
  const forms = formsOf(secrets);
  return changedHeaders(headers, (name, value) => (isSecret(name) ? null : maskForms(value, forms, mask)));
}

/** Masks the values of secret query parameters in a URL. */
export function redactUrl(url: string): string {
  return url.replace(/([?&]([^?&=#]{1,40})=)[^&#]*/g, (parameter, start: string, name: string) =>
    isSecretName(name) ? start + mask : parameter,
  );
}

/** The values of the secret parameters in the query of a URL. */
export function secretsInUrl(url: string): string[] {
  const start = url.indexOf('?');
  if (start < 0) return [];
  const parameters = [...new URLSearchParams(url.slice(start).replace(/#.*/s, ''))];
  return parameters.flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/** The texts of an input that a user may have written. Messages must not repeat them. */
export function userTexts(input: unknown): string[] {
  // Files, bytes and streams are not searched: they may be large or circular.
  if (!Array.isArray(input) && !isPlainObject(input)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : userTexts(value),
  );
}

/** Masks a text of a request body if a user may have written it, or if it is the value of a secret field. */
export function redactUserText(text: string, name: string): string {
  return name === 'text' || isSecretName(name) ? mask : text;
}

/** Masks the values of secret fields and the given secrets in a response body, for errors. */
export function redactBody(body: unknown, secrets: readonly string[]): unknown {
  const forms = formsOf(secrets);
  return mapStrings(body, (text, name) =>
    isSecretName(name) ? mask : maskSecretFields(maskForms(text, forms, mask), mask),
  );
}

/** Values that are nested deeper are masked. */
const deepestBody = 200;

/** Copies JSON and changes each string; `name` is the name of the field that contains the string or its list. */
function mapStrings(value: unknown, change: (text: string, name: string) => string, name = '', depth = 0): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepestBody) return mask;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, mapStrings(each, change, field, depth + 1)]),
  );
}

/** Space, control characters, line separators, and characters that change the direction of text. */
const unprintable = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Puts a text on one line, with single spaces, without characters that could move the cursor of a terminal or reverse the
 * text direction.
 */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}
