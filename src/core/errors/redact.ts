const mask = '[redacted]';
const secretFields =
  /("?(?:access_token|refresh_token|client_secret|authorization|set-cookie|cookie)"?\s*[=:]\s*"?)[^"&\s,}]+/gi;
const bearer = /\bbearer\s+[\w.~+/=-]+/gi;
// Every pattern is bounded and starts at a border: a long noise must not cost its length squared.
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/g;
/** Digits in groups, or with a plus: a bare row of digits is an id, and ids are needed. */
const phone = /(?<![\w.:-])(?:\+\d|\(\d{1,5}\)[\s.-]?\d|\d{1,12}[\s.-]{1,3}(?=[\d(]))[\d\s().-]{5,24}\d(?![\w:])/g;
const notPhone = /^(?:\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){2,3}(?!\d))/;

/** Takes out of a text what must not be shown: the given secrets, tokens and e-mail addresses. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, mask);
  return clean.replace(secretFields, `$1${mask}`).replace(bearer, `Bearer ${mask}`).replace(email, mask);
}

/** Also takes out phone numbers and what echoes a person's words: for texts that the service wrote. */
export function redactText(text: string, secrets: readonly string[] = [], words: readonly string[] = []): string {
  const silent = words.reduce(withoutEcho, text);
  return redactSecrets(silent, secrets).replace(phone, (found) => (isPhone(found) ? mask : found));
}

function isPhone(found: string): boolean {
  return found.replace(/\D/g, '').length >= 8 && !notPhone.test(found);
}

/** So many characters of a person's words, one after the other, are an echo; fewer may be chance. */
const echoLength = 12;

/** Masks every stretch of a text that repeats the beginning of a person's words, however far it goes. */
function withoutEcho(text: string, words: string): string {
  if (words.length < 4) return text;
  const start = words.slice(0, echoLength);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, from)) {
    let length = start.length;
    while (length < words.length && text[at + length] === words[length]) length += 1;
    parts.push(text.slice(from, at), mask);
    from = at + length;
  }
  return parts.join('') + text.slice(from);
}

const privateHeaders = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-api-key']);

/** Whether a header holds what nobody should see. */
export function isPrivateHeader(name: string): boolean {
  return privateHeaders.has(name.toLowerCase());
}

/** The secrets in headers: their values, and what follows the scheme of an `authorization`. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isPrivateHeader(name) ? [value] : []));
  return values.flatMap((value) => [value, value.replace(/^\w+\s+/, '')]);
}

/** A copy without cookies, for errors. */
export function withoutCookies(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of privateHeaders) copy.delete(name);
  return copy;
}

/** A URL without the token that may be in its query. */
export function redactUrl(url: string): string {
  if (!url.includes('access_token=')) return url;
  return url.replace(/([?&]access_token=)[^&#]*/g, `$1${mask}`);
}

/** The texts of an input that may hold a person's words: never repeated in a message. */
export function userTexts(input: unknown): string[] {
  if (!isPlain(input)) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : userTexts(value),
  );
}

/** Files, bytes and streams are not looked into: they may be long, or hold themselves. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** A body without what people wrote. */
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

/** A fault as it may be shown: itself, unless it holds a secret; then a copy with its name, code and scrubbed message. */
export function redactError(fault: unknown, secrets: readonly string[]): unknown {
  return holds(fault, secrets, 4) ? copyOf(fault, secrets) : fault;
}

function copyOf(fault: unknown, secrets: readonly string[]): unknown {
  if (!(fault instanceof Error)) return new Error('what was thrown held a secret and is not shown');
  const { name, stack, cause } = fault;
  const copy = new Error(
    redactSecrets(fault.message, secrets),
    cause === undefined ? {} : { cause: redactError(cause, secrets) },
  );
  const { code } = fault as { code?: unknown };
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: stack && redactSecrets(stack, secrets), configurable: true });
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

/** Whether a value, or what it leads to within so many steps, holds a secret. */
function holds(value: unknown, secrets: readonly string[], depth: number): boolean {
  if (typeof value === 'string') return secrets.some((secret) => secret.length >= 4 && value.includes(secret));
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (value instanceof Headers) return [...value].some(([, each]) => holds(each, secrets, 1));
  if (value instanceof Request) return holds(value.headers, secrets, 2) || holds(value.url, secrets, 1);
  try {
    return Object.getOwnPropertyNames(value).some((name) =>
      holds((value as Record<string, unknown>)[name], secrets, depth - 1),
    );
  } catch {
    // What cannot be looked into cannot be shown.
    return true;
  }
}
