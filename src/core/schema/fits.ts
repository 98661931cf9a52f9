/** Returns whether a value fits a schema without a change: zod would accept it and return an equal value. */
export type Fits = (value: unknown) => boolean;

const never: Fits = () => false;

/** Returns the quick check of a schema of this package. Other schemas have none, so zod always checks them. */
function fitsOf(schema: object): Fits {
  return (schema as { readonly fits?: Fits }).fits ?? never;
}

export const isString: Fits = (value) => typeof value === 'string';
export const isBoolean: Fits = (value) => typeof value === 'boolean';
export const isNumber: Fits = (value) => Number.isFinite(value);
export const isAny: Fits = () => true;

export function isOneOf(values: readonly string[]): Fits {
  return (value) => values.includes(value as string);
}

export function isArrayOf(element: object): Fits {
  const fits = fitsOf(element);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const entry of value as unknown[]) if (!fits(entry)) return false;
    return true;
  };
}

export function isOptional(inner: object): Fits {
  const fits = fitsOf(inner);
  return (value) => value === undefined || fits(value);
}

export function isNullish(inner: object): Fits {
  const fits = fitsOf(inner);
  return (value) => value === undefined || value === null || fits(value);
}

/** Only the first option counts, because it may accept and change a value that fits a later option. */
export function isFirstOf(first: object): Fits {
  return fitsOf(first);
}

export function isRefined(of: object, check: (value: unknown) => unknown): Fits {
  const fits = fitsOf(of);
  return (value) => fits(value) && check(value) === undefined;
}

/** A reader that returns the same value has changed nothing. */
export function isUnchangedBy(reader: (value: unknown) => unknown, then: object): Fits {
  const fits = fitsOf(then);
  return (value) => reader(value) === value && fits(value);
}

/**
 * Whether a value is a plain object. Zod drops a key named `__proto__`. An object with such a key reads as if it had
 * another prototype, so this check excludes it; a check of the own property would take ten times as long.
 */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && (value as { __proto__?: unknown } | null)?.__proto__ === Object.prototype;

/** Accepts an object whose fields fit. With `isLoose`, the object can have other fields. */
export function isObjectOf(shape: Readonly<Record<string, object>>, isLoose: boolean): Fits {
  let fields: readonly { readonly name: string; readonly fits: Fits }[] | undefined;
  const isKnown = (name: string): boolean => Object.hasOwn(shape, name);
  return (value) => {
    if (!isObject(value)) return false;
    fields ??= Object.entries(shape).map(([name, field]) => ({ name, fits: requiredUnlessOptional(fitsOf(field)) }));
    for (const { name, fits } of fields) if (!fits(value[name])) return false;
    return isLoose || Object.keys(value).every(isKnown);
  };
}

/** In zod, a field of any value is required. */
function requiredUnlessOptional(fits: Fits): Fits {
  return fits === isAny ? (value) => value !== undefined : fits;
}
