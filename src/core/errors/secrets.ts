/** Names of headers, query parameters and fields whose values are secret: in lower case, without `x-`, `-` and `_`. */
const secretNames = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie', 'apikey', 'sig']);
/** The ends of longer names, e.g. of `token`, `client_secret` and `x-amz-security-token`. */
const secretEnd = /(?:token|secret|password|passwd|signature|credential)$/;

/** Longer names count as not secret. */
const longestName = 40;

/** Whether the value of a header, query parameter or field with this name is secret. */
export function isSecretName(name: string): boolean {
  if (name.length > longestName) return false;
  const plain = name
    .toLowerCase()
    .replace(/^x[-_]/, '')
    .replace(/[-_]/g, '');
  return secretNames.has(plain) || secretEnd.test(plain);
}

/** Whether the value under a name is secret. */
export type IsSecretName = (name: string) => boolean;

/** Returns a function that recognises the names of secret headers, including the user's. */
export function secretNamesWith(own: readonly string[] = []): IsSecretName {
  if (own.length === 0) return isSecretName;
  const names = new Set(own.map((name) => name.toLowerCase()));
  return (name) => names.has(name.toLowerCase()) || isSecretName(name);
}

/** Fields whose values are secret. The value of an `authorization` includes its scheme. */
const secretFields =
  /("?(?:access[_-]?token|auth[_-]token|refresh[_-]?token|client[_-]?secret|api[_-]?key|authorization|set-cookie|cookie)\\?"?\s{0,9}[=:]\s{0,9}\\?"?)(?:(?:bearer|basic)\s{1,9})?[^"&\s,}\\]+/gi;
/** Only as a parameter or a JSON field, because `invalid signature: expired` is a message. */
const signatures = /((?<![\w-])(?:sig|signature)(?:=|\\?"\s{0,9}:\s{0,9}\\?"))[^"&\s,}\\]+/gi;

/** Masks the values of secret fields and parameters in a text, e.g. `api_key=...` or `"client_secret": "..."`. */
export function maskSecretFields(text: string, mask: string): string {
  return text.replace(secretFields, `$1${mask}`).replace(signatures, `$1${mask}`);
}

/** Shorter secrets are not masked, because they occur in other words. */
const shortest = 4;
/** A match of a shorter base64 text may be a coincidence. */
const shortestBase64 = 6;
/** The encodings of a longer secret are not masked. */
const longestEncoded = 8192;

/** A match of a shorter form in another case may be a word. */
const shortestInAnyCase = 8;

/** Returns patterns of secrets: unchanged, as JSON, URL-encoded and as base64; the longest first. */
export function secretPatterns(secrets: readonly string[]): RegExp[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    forms.add(secret);
    if (secret.length <= longestEncoded) addEncoded(forms, secret);
  }
  // Longer forms first: a shorter one may be a part of them.
  return [...forms]
    .sort((a, b) => b.length - a.length)
    .map(
      (form) => new RegExp(form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), form.length < shortestInAnyCase ? 'g' : 'gi'),
    );
}

/** Masks what matches one of the patterns. */
export function maskPatterns(text: string, patterns: readonly RegExp[], mask: string): string {
  return patterns.reduce((masked, pattern) => masked.replace(pattern, mask), text);
}

function addEncoded(forms: Set<string>, secret: string): void {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  forms.add(inJson).add(inJson.replaceAll('/', '\\/'));
  forms.add(inUrl).add(inUrl.replace(/%../g, (escape) => escape.toLowerCase()));
  forms.add(new URLSearchParams([['', secret]]).toString().slice(1));
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  // Base64 depends on the number of bytes before the secret: `Bearer ` or a user name shifts its groups of three bytes.
  for (const [before, from] of [0, 2, 3].entries()) {
    const text = btoa('\0'.repeat(before) + bytes);
    const isPartial = (before + bytes.length) % 3 !== 0;
    // The first and the last character may also encode parts of adjacent bytes.
    const form = text.slice(from, isPartial ? text.indexOf('=') - 1 : undefined);
    if (form.length >= shortestBase64) forms.add(form).add(form.replaceAll('+', '-').replaceAll('/', '_'));
  }
}
