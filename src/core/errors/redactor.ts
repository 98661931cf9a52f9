import { isPlainObject } from '../json/json.js';
import { isOfFramework } from './errors.js';
import { changedHeaders, type ResponseHeaders } from './response-headers.js';
import { copyOfError, SellerError } from './seller-error.js';

const mask = '[redacted]';
const bearer = /\bbearer\s+[\w.~+/=-]+/gi;
// Every pattern is bounded and starts at a word boundary, so that the time is linear in the length of the text.
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/g;
/** Only digits in groups or with a plus: a number without separators may be an id, and ids are not masked. */
const phone = /(?<![\w.:-])(?:\+\d|\(\d{1,5}\)[\s.-]?\d|\d{1,12}[\s.-]{1,3}(?=[\d(]))[\d\s().-]{5,24}\d(?![\w:])/g;
const notPhone = /^(?:\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){2,3}(?!\d))/;
/** Values that are nested deeper are masked, and their texts are not known. */
const deepestBody = 200;

/** What must not be shown of a call. */
interface Hidden {
  readonly secrets?: readonly string[] | undefined;
  /** The texts that a person wrote. */
  readonly texts?: readonly string[] | undefined;
  /** The headers that were sent, with names in lower case. */
  readonly sent?: Readonly<Record<string, string>> | undefined;
}

/** Masks secrets, and what people wrote, in what is shown. It is made when something is thrown or told. */
export class Redactor {
  readonly #secrets: readonly RegExp[];
  readonly #texts: readonly RegExp[];
  readonly #sent: Readonly<Record<string, string>>;

  constructor({ secrets = [], texts = [], sent = {} }: Hidden = {}) {
    this.#secrets = secretPatterns(secrets);
    // A message of the service has a text on one line.
    this.#texts = secretPatterns(texts.flatMap((text) => [text, printable(text).trim()]));
    this.#sent = sent;
  }

  /** Masks only the secrets, also URL-encoded and as JSON. */
  secrets(text: string): string {
    return maskPatterns(text, this.#secrets, mask);
  }

  /** Masks the secrets, and what looks like a token or an e-mail address, in a text of this package. */
  text(text: string): string {
    const clean = maskSecretFields(this.secrets(text), mask);
    return clean.replace(bearer, `Bearer ${mask}`).replace(email, mask);
  }

  /** Does the same with a text of others, and masks phone numbers and the texts of people. */
  foreignText(text: string): string {
    return this.text(maskPatterns(text, this.#texts, mask)).replace(phone, (found) => (isPhone(found) ? mask : found));
  }

  /** Masks the secrets, and the values of secret fields, in a body. */
  body(body: unknown): unknown {
    return mapStrings(body, (text, name) => (isSecretName(name) ? mask : maskSecretFields(this.secrets(text), mask)));
  }

  /** Returns the headers of a response without cookies and other secret headers, and with the secrets masked. */
  headers(headers: ResponseHeaders): ResponseHeaders {
    const isSecret = (name: string): boolean =>
      isSecretName(name) || (isSecretHeader(name) && Object.hasOwn(this.#sent, name));
    return changedHeaders(headers, (name, value) => (isSecret(name) ? null : this.secrets(value)));
  }

  /** Returns an error, or, if it contains a secret or a text of a person, a copy without it. */
  error(error: unknown): unknown {
    const hidden = [...this.#secrets, ...this.#texts];
    return redactedError(error, hidden, (text) => this.text(maskPatterns(text, hidden, mask)));
  }
}

/** What a call has sent that may be secret. */
export interface SentSecrets {
  readonly request: {
    readonly url: string;
    /** With names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly token: string | undefined;
  readonly rejectedToken?: string | undefined;
}

/** Returns what masks the secrets of a call. `texts` are the texts of people that it masks, too. */
export function redactorOf({ token, rejectedToken, request }: SentSecrets, texts?: readonly string[]): Redactor {
  const { headers, url } = request;
  const secrets = [token ?? '', rejectedToken ?? '', ...secretsIn(headers), ...secretsInUrl(url)];
  return new Redactor({ secrets, texts, sent: headers });
}

function isPhone(found: string): boolean {
  return found.replace(/\D/g, '').length >= 8 && !notPhone.test(found);
}

/** Shorter parts of a secret, such as a language in a cookie, may be words of a message. */
const shortestPart = 8;

/** The secrets in headers: their values, with and without an authorization scheme, and the values of their parts. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, value.replace(/^\w+\s+/, ''), ...partsOf(value)] : [],
  );
}

/** The values of `sid=abc; theme=dark`. */
function partsOf(value: string): string[] {
  const parts = value.split(/[;,]/).map((part) => part.slice(part.indexOf('=') + 1).trim());
  return parts.filter((part) => part.length >= shortestPart);
}

/** Masks the values of secret query parameters in a URL. */
export function redactUrl(url: string): string {
  return url.replace(/([?&]([^?&=#]{1,40})=)[^&#]*/g, (parameter, start: string, name: string) =>
    isSecretName(name) ? start + mask : parameter,
  );
}

/** The values of the secret parameters in the query of a URL. */
function secretsInUrl(url: string): string[] {
  const start = url.indexOf('?');
  if (start < 0) return [];
  const parameters = [...new URLSearchParams(url.slice(start).replace(/#.*/s, ''))];
  return parameters.flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/** Masks a text of a request body if a person may have written it, or if it is the value of a secret field. */
export function redactUserText(text: string, name: string): string {
  return name === 'text' || isSecretName(name) ? mask : text;
}

/** The texts of an input that a person may have written. */
export function userTexts(input: unknown, depth = 0): string[] {
  // Files, bytes and streams are not searched: they may be large or circular.
  if (depth === deepestBody || (!Array.isArray(input) && !isPlainObject(input))) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : userTexts(value, depth + 1),
  );
}

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

/**
 * Returns the error, or, if it may hold one of the secrets, one with its name, its message, its stack and its code, which
 * `clean` has changed, and nothing else.
 */
function redactedError(error: unknown, secrets: readonly RegExp[], clean: (text: string) => string): unknown {
  if (!mayHold(error, secrets)) return error;
  if (!(error instanceof Error)) return new Error('the thrown value contained a secret and is not shown');
  const copy = new Error(clean(error.message));
  const { code } = error as { code?: unknown };
  for (const name of ['name', 'stack'] as const)
    Object.defineProperty(copy, name, { value: clean(error[name] ?? ''), configurable: true });
  return typeof code === 'string' ? Object.assign(copy, { code: clean(code) }) : copy;
}

/** Whether an error, its causes or its properties hold one of the secrets, or cannot be searched. */
function mayHold(error: unknown, secrets: readonly RegExp[]): boolean {
  try {
    // `this` has the value before its own `toJSON`.
    const json = JSON.stringify({ error }, function (this: Readonly<Record<string, unknown>>, name) {
      return readable(this[name]);
    });
    return secrets.some((secret) => json.search(secret) >= 0);
  } catch {
    // It leads to itself, or has a value that JSON cannot show.
    return true;
  }
}

function readable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (value instanceof Error) {
    const own = Reflect.ownKeys(value).map((name): unknown => [String(name), Reflect.get(value, name)]);
    return [value.name, value.message, own];
  }
  if (value instanceof URL) return value.href;
  if (isPlainObject(value) && Object.getOwnPropertySymbols(value).length === 0) return value;
  throw new TypeError('its content is not known');
}

/** Names of headers, query parameters and fields whose values are secret: in lower case, without `x-`, `-` and `_`. */
const secretNames = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie', 'apikey', 'sig']);
/** The ends of longer names, e.g. of `token`, `client_secret` and `x-amz-security-token`. */
const secretEnd = /(?:token|secret|password|passwd|signature|credential)$/;

/** Longer names count as not secret. */
const longestName = 40;

/** Whether the value of a header, query parameter or field with this name is secret. */
function isSecretName(name: string): boolean {
  if (name.length > longestName) return false;
  const plain = name
    .toLowerCase()
    .replace(/^x[-_]/, '')
    .replace(/[-_]/g, '');
  return secretNames.has(plain) || secretEnd.test(plain);
}

/** The request headers whose values may be shown. */
const publicHeaders = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'cache-control', 'content-length', 'content-type', 'user-agent'],
  ...['traceparent', 'tracestate', 'x-client-id', 'x-correlation-id', 'x-request-id'],
]);

/** Whether the value of a request header is secret: every one is, unless its name is public. */
export function isSecretHeader(name: string): boolean {
  return !publicHeaders.has(name.toLowerCase());
}

/** Fields whose values are secret. The value of an `authorization` includes its scheme. */
const secretFields =
  /("?(?:access[_-]?token|auth[_-]token|refresh[_-]?token|client[_-]?secret|api[_-]?key|authorization|set-cookie|cookie)\\?"?\s{0,9}[=:]\s{0,9}\\?"?)(?:(?:bearer|basic)\s{1,9})?[^"&\s,}\\]+/gi;
/** The other secret names only as a parameter or a JSON field, because `invalid signature: expired` is a message. */
const secretParameters =
  /((?<![\w-])(?:[\w-]{0,30}(?:token|secret|password|passwd|signature|credential)|sig)(?:=|\\?"\s{0,9}:\s{0,9}\\?"))[^"&\s,}\\]+/gi;

/** Masks the values of secret fields and parameters in a text, e.g. `api_key=...` or `"client_secret": "..."`. */
function maskSecretFields(text: string, mask: string): string {
  return text.replace(secretFields, `$1${mask}`).replace(secretParameters, `$1${mask}`);
}

/** Shorter secrets are not masked, because they occur in other words. */
const shortest = 4;
/** A longer form is searched by its beginning, and all that follows it is masked. */
const longest = 8192;

/** A match of a shorter form in another case may be a word. */
const shortestInAnyCase = 8;

/** Returns patterns of secrets and texts: unchanged, as JSON and URL-encoded; the longest first. */
function secretPatterns(secrets: readonly string[]): RegExp[] {
  const forms = new Set<string>();
  for (const secret of secrets) if (secret.length >= shortest) for (const form of formsOf(secret)) forms.add(form);
  // Longer forms first: a shorter one may be a part of them.
  return [...forms].sort((a, b) => b.length - a.length).map(patternOf);
}

function patternOf(form: string): RegExp {
  const escaped = form.slice(0, longest).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(form.length > longest ? `${escaped}[^]*` : escaped, form.length < shortestInAnyCase ? 'g' : 'gi');
}

/** Masks what matches one of the patterns. */
function maskPatterns(text: string, patterns: readonly RegExp[], mask: string): string {
  return patterns.reduce((masked, pattern) => masked.replace(pattern, mask), text);
}

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inLowerCase = inUrl.replace(/%../g, (escape) => escape.toLowerCase());
  return [secret, inJson, inJson.replaceAll('/', '\\/'), inUrl, inLowerCase, inForm];
}

/** How many causes of errors of this package are searched. */
const maxCauses = 8;

/**
 * Returns what a function of the user has thrown, or, if it shows one of the secrets, a copy without them. An error of this package
 * keeps its class; of another one, name, message, stack and code are left.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[], depth = 0): unknown {
  if (secrets.length === 0 || depth === maxCauses || isOfFramework(error)) return error;
  const redactor = new Redactor({ secrets });
  if (!(error instanceof SellerError)) return redactor.error(error);
  const { message, stack = '', cause } = error;
  const shown = {
    message: redactor.secrets(message),
    stack: redactor.secrets(stack),
    cause: withoutSecrets(cause, secrets, depth + 1),
  };
  if (shown.message === message && shown.stack === stack && shown.cause === cause) return error;
  const copy = copyOfError(error);
  for (const [name, value] of Object.entries(shown))
    if (name in error) Object.defineProperty(copy, name, { value, configurable: true, writable: true });
  return copy;
}
