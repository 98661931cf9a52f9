const shown = '[redacted]';
const secretFields = /("?(?:access_token|refresh_token|client_secret|authorization)"?\s*[=:]\s*"?)[^"&\s,}]+/gi;
const bearer = /\bbearer\s+[\w.~+/=-]+/gi;
const email = /[\w.+-]+@[\w-]+\.[\w.-]+/g;
const phone = /\+?\d[\d\s().-]{7,}\d/g;

/** Takes out of a text what must not be shown: the given secrets, tokens, e-mail addresses and phone numbers. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, shown);
  return clean.replace(secretFields, `$1${shown}`).replace(bearer, `Bearer ${shown}`).replace(email, shown);
}

/** Also takes out phone numbers: for texts in which no id is needed. */
export function scrubText(text: string): string {
  return scrub(text).replace(phone, shown);
}

const privateHeaders = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-api-key']);

/** Headers as they may be shown. */
export function shownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, privateHeaders.has(name) ? shown : value]));
}

/** A copy without cookies, for errors. */
export function withoutCookies(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of privateHeaders) copy.delete(name);
  return copy;
}

/** The texts of an input that may hold a person's words: never repeated in a message. */
export function wordsOfPeople(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    name === 'text' && typeof value === 'string' ? [value] : typeof value === 'object' ? wordsOfPeople(value) : [],
  );
}
