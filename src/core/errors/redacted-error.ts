import { isPlainObject } from '../json/plain-object.js';

/**
 * Returns the error, or, if it may hold one of the secrets, one with its name, its message, its stack and its code, which
 * `clean` has changed, and nothing else.
 */
export function redactedError(error: unknown, secrets: readonly RegExp[], clean: (text: string) => string): unknown {
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
