/** Names of headers, query parameters and fields whose values are secret: in lower case, without `x-`, `-` and `_`. */
const secretNames = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'accesstoken',
  'authtoken',
  'refreshtoken',
  'clientsecret',
  'apikey',
  'sig',
  'signature',
]);

/** Longer names are not read. */
const longestName = 40;

/** Whether the value of a header, query parameter or field with this name is secret. */
export function isSecretName(name: string): boolean {
  if (name.length > longestName) return false;
  return secretNames.has(
    name
      .toLowerCase()
      .replace(/^x[-_]/, '')
      .replace(/[-_]/g, ''),
  );
}

/** Whether the value under a name is secret. */
export type IsSecretName = (name: string) => boolean;

/** Recognises the names of secret headers, and those of the user's own. */
export function secretNamesWith(own: readonly string[] = []): IsSecretName {
  if (own.length === 0) return isSecretName;
  const names = new Set(own.map((name) => name.toLowerCase()));
  return (name) => names.has(name.toLowerCase()) || isSecretName(name);
}

/** The scheme of an `authorization` belongs to its value. */
const secretFields =
  /("?(?:access[_-]?token|auth[_-]token|refresh[_-]?token|client[_-]?secret|api[_-]?key|authorization|set-cookie|cookie)\\?"?\s{0,9}[=:]\s{0,9}\\?"?)(?:(?:bearer|basic)\s{1,9})?[^"&\s,}\\]+/gi;
/** Only as a parameter or a JSON field: `invalid signature: expired` is prose. */
const signatures = /((?<![\w-])(?:sig|signature)(?:=|\\?"\s{0,9}:\s{0,9}\\?"))[^"&\s,}\\]+/gi;

/** A text without the values of secret fields and parameters, e.g. `api_key=...` or `"client_secret": "..."`. */
export function maskSecretFields(text: string, mask: string): string {
  return text.replace(secretFields, `$1${mask}`).replace(signatures, `$1${mask}`);
}
