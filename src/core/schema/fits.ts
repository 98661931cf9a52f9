/** Whether a value fits a schema exactly as it is: zod would accept it, and deliver an equal value. */
export type Fits = (value: unknown) => boolean;

const never: Fits = () => false;

/** A schema of this package has a quick check. One of zod's own has none, so it never "fits", and zod decides. */
function fitsOf(schema: object): Fits {
  return (schema as { readonly fits?: Fits }).fits ?? never;
}

export const isString: Fits = (value) => typeof value === 'string';
export const isBoolean: Fits = (value) => typeof value === 'boolean';
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

/** Only the first option counts: it may accept, and change, what fits a later one. */
export function isFirstOf(first: object): Fits {
  return fitsOf(first);
}

export function isRefined(of: object, check: (value: unknown) => unknown): Fits {
  const fits = fitsOf(of);
  return (value) => fits(value) && check(value) === undefined;
}

/** A reader that returns the very value has changed nothing. */
export function isUnchangedBy(reader: (value: unknown) => unknown, then: object): Fits {
  const fits = fitsOf(then);
  return (value) => reader(value) === value && fits(value);
}

/**
 * A plain object. Zod drops a key named `__proto__`, which reads as another prototype: asking for the own property would
 * take ten times as long.
 */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && (value as { __proto__?: unknown } | null)?.__proto__ === Object.prototype;

/** An object whose fields fit; `isLoose` says whether it may have others. */
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

/** Zod wants a field that takes anything to be there. */
function requiredUnlessOptional(fits: Fits): Fits {
  return fits === isAny ? (value) => value !== undefined : fits;
}
