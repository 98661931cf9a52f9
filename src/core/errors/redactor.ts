import { isPlainObject } from '../json/plain-object.js';
import { redactedError } from './redacted-error.js';
import { changedHeaders } from './response-headers.js';
import type { ResponseHeaders } from './response-headers.js';
import { isSecretHeader, isSecretName, maskPatterns, maskSecretFields, secretPatterns } from './secrets.js';

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
