import type { Rule } from '../core/options/rules.js';

/** Bytes of chance in a path: nobody finds it by trying. */
const secretBytes = 24;
const leastCharacters = 16;

/**
 * Makes a path that nobody can guess, for the callback URL of your application and the option `path`. Make it once, and keep it with
 * your secrets.
 *
 * @example
 * console.log(secretPath()); // e.g. /hooks/Zk3v0mJ1yQ8sWc5uXr2tLpAe9hNbGd7f
 */
export function secretPath(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `/hooks/${btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')}`;
}

/** The rule of the option `path`. */
export const pathRule: Rule = (value) => {
  if (typeof value !== 'string' || !value.startsWith('/')) return 'must be a path that begins with /';
  if (/[?#\s]/.test(value)) return 'must be a path alone, without query, fragment and spaces';
  const longest = Math.max(...value.split('/').map(({ length }) => length));
  return longest >= leastCharacters
    ? undefined
    : `has no secret: one part of it must have at least ${leastCharacters} characters; secretPath() makes one`;
};

/** Compares a path with the secret one. How long that takes says nothing about how much of it is right. */
export function isSecretPath(path: string, secret: string): boolean {
  let difference = path.length ^ secret.length;
  for (let at = 0; at < secret.length; at += 1) difference |= (path.charCodeAt(at) || 0) ^ secret.charCodeAt(at);
  return difference === 0;
}
