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
/** Only as a parameter or a JSON field, because `invalid signature: expired` is a message. */
const signatures = /((?<![\w-])(?:sig|signature)(?:=|\\?"\s{0,9}:\s{0,9}\\?"))[^"&\s,}\\]+/gi;

/** Masks the values of secret fields and parameters in a text, e.g. `api_key=...` or `"client_secret": "..."`. */
export function maskSecretFields(text: string, mask: string): string {
  return text.replace(secretFields, `$1${mask}`).replace(signatures, `$1${mask}`);
}

/** Shorter secrets are not masked, because they occur in other words. */
const shortest = 4;
/** A longer form is searched by its beginning, and all that follows it is masked. */
const longest = 8192;

/** A match of a shorter form in another case may be a word. */
const shortestInAnyCase = 8;

/** Returns patterns of secrets and texts: unchanged, as JSON and URL-encoded; the longest first. */
export function secretPatterns(secrets: readonly string[]): RegExp[] {
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
export function maskPatterns(text: string, patterns: readonly RegExp[], mask: string): string {
  return patterns.reduce((masked, pattern) => masked.replace(pattern, mask), text);
}

function formsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inLowerCase = inUrl.replace(/%../g, (escape) => escape.toLowerCase());
  return [secret, inJson, inJson.replaceAll('/', '\\/'), inUrl, inLowerCase, inForm];
}
