/** Limits of the search. Larger errors, e.g. with a socket, are not searched completely: they count as secret. */
const maxSearched = 5000;
const maxSearchedBytes = 65_536;
const maxCauses = 8;

/**
 * Returns the error, or, if it contains one of the secrets, a copy with its name, its code, and a message and a
 * stack that `clean` has changed.
 */
export function redactedError(
  error: unknown,
  secrets: readonly RegExp[],
  clean: (text: string) => string,
  depth = 0,
): unknown {
  if (depth === maxCauses) return undefined;
  if (!contains(error, secrets)) return error;
  if (!(error instanceof Error)) return new Error('the thrown value contained a secret and is not shown');
  const { name, stack, cause } = error;
  const shown = cause === undefined ? {} : { cause: redactedError(cause, secrets, clean, depth + 1) };
  const copy = new Error(clean(error.message), shown);
  const { code } = error as { code?: unknown };
  Object.defineProperty(copy, 'name', { value: name, configurable: true });
  Object.defineProperty(copy, 'stack', { value: stack && clean(stack), configurable: true });
  return typeof code === 'string' ? Object.assign(copy, { code: clean(code) }) : copy;
}

/** Whether a value, or a value that it refers to, contains one of the secrets. */
function contains(value: unknown, secrets: readonly RegExp[]): boolean {
  const seen = new Set<unknown>([value]);
  try {
    // The set grows while it is iterated.
    for (const each of seen) {
      if (typeof each === 'string' && secrets.some((secret) => each.search(secret) >= 0)) return true;
      if (typeof each !== 'object' || each === null) continue;
      for (const part of partsOf(each)) seen.add(part);
      // A value that is too large to be searched must not be shown.
      if (seen.size > maxSearched) return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** The values that a value refers to: its properties with their names, entries, bytes. */
function partsOf(value: object): unknown[] {
  if (ArrayBuffer.isView(value)) return [textOf(value)];
  if (value instanceof Map) return [...value].flat(1);
  if (value instanceof Set) return [...(value as Set<unknown>)];
  const own = Reflect.ownKeys(value).flatMap((name) => [
    typeof name === 'symbol' ? name.description : name,
    (value as Record<PropertyKey, unknown>)[name],
  ]);
  return [...own, ...platformParts(value)];
}

function textOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  if (byteLength > maxSearchedBytes) throw new RangeError('too long to be searched');
  return new TextDecoder().decode(new Uint8Array(buffer, byteOffset, byteLength));
}

/** Identifies classes by their tags: on Node.js, a reference to the classes would load the platform's `fetch`. */
function platformParts(value: object): unknown[] {
  const tag = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (tag === 'Headers') return [...(value as Headers)].flat();
  if (tag === 'URL' || tag === 'URLSearchParams') return [(value as URL).toString()];
  if (tag !== 'Request' && tag !== 'Response') return [];
  const { headers, url } = value as Request;
  return [headers, url];
}
