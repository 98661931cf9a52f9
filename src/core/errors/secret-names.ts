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
