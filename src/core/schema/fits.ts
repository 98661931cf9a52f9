import type * as z from 'zod/mini';

/** Whether a value fits a schema exactly as it is: zod would accept it, and deliver an equal value. */
export type Fits = (value: unknown) => boolean;

type Type = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];
type Check = z.core.$ZodCheck;

const never: Fits = () => false;
const known = new WeakMap<Type, Fits>();

/**
 * Makes a function that answers for a zod schema whether a value needs no change. It may say no to a value that zod
 * accepts, never yes to one that zod refuses or changes. No code is generated, so it works where `eval` is forbidden.
 */
export function fitsOf(schema: Type): Fits {
  let fits = known.get(schema);
  if (!fits) known.set(schema, (fits = withChecks(schema)));
  return fits;
}

function withChecks(schema: Type): Fits {
  const def = schema._zod.def as Def;
  const fits = ofDef(def);
  const checks = (def.checks ?? []) as unknown as readonly Check[];
  if (checks.length === 0 || fits === never) return fits;
  return (value) => fits(value) && checks.every((check) => passes(check, value));
}

function passes(check: Check, value: unknown): boolean {
  const payload = { value, issues: [] as z.core.$ZodRawIssue[] };
  const result = check._zod.check(payload as never);
  return result === undefined && payload.issues.length === 0 && payload.value === value;
}

function ofDef(def: Def): Fits {
  switch (def.type) {
    case 'string':
      return isPlain(def) ? (value) => typeof value === 'string' : never;
    case 'number':
      return ofNumber(def);
    case 'boolean':
      return isPlain(def) ? (value) => typeof value === 'boolean' : never;
    case 'unknown':
      return () => true;
    case 'enum': {
      const values = new Set<unknown>(Object.values(def.entries));
      return (value) => values.has(value);
    }
    case 'array': {
      const element = fitsOf(def.element);
      return (value) => Array.isArray(value) && allFit(value, element);
    }
    case 'record':
      return isAnyRecord(def) ? isObject : never;
    case 'optional': {
      const inner = fitsOf(def.innerType);
      return (value) => value === undefined || inner(value);
    }
    case 'nullable': {
      const inner = fitsOf(def.innerType);
      return (value) => value === null || inner(value);
    }
    case 'union':
      // An option that comes first may accept, and change, what fits a later one.
      return def.options[0] ? fitsOf(def.options[0]) : never;
    case 'pipe':
      return ofPipe(def);
    case 'object':
      return ofObject(def);
    default:
      return never;
  }
}

function allFit(values: readonly unknown[], fits: Fits): boolean {
  for (const value of values) if (!fits(value)) return false;
  return true;
}

/** Neither a format with rules of its own nor a conversion. */
function isPlain(def: { readonly format?: string; readonly coerce?: boolean }): boolean {
  return def.format === undefined && !def.coerce;
}

function ofNumber(def: { readonly format?: string; readonly coerce?: boolean }): Fits {
  if (def.format === 'safeint') return Number.isSafeInteger;
  return isPlain(def) ? Number.isFinite : never;
}

function isAnyRecord({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
  const key = keyType._zod.def as Def;
  return key.type === 'string' && isPlain(key) && !key.checks && valueType._zod.def.type === 'unknown';
}

/** A reader that gives back the very value has changed nothing. */
function ofPipe(def: z.core.$ZodPipeDef): Fits {
  const first = def.in._zod.def as Def;
  if (first.type !== 'transform') return never;
  const rest = fitsOf(def.out);
  const read = first.transform as (value: unknown, payload: unknown) => unknown;
  return (value) => read(value, { value, issues: [] }) === value && rest(value);
}

function ofObject(def: z.core.$ZodObjectDef): Fits {
  const fields = Object.entries(def.shape).map(([name, schema]) => ({ name, fits: fieldFits(schema) }));
  const isLoose = def.catchall?._zod.def.type === 'unknown';
  const isKnown = (name: string): boolean => Object.hasOwn(def.shape, name);
  return (value) => {
    if (!isObject(value)) return false;
    for (const { name, fits } of fields) if (!fits(value[name])) return false;
    return isLoose || Object.keys(value).every(isKnown);
  };
}

/** Zod wants a field to be there even where its schema takes `undefined`, unless the field is optional. */
function fieldFits(schema: Type): Fits {
  const fits = fitsOf(schema);
  const takesUndefined = ['unknown', 'pipe', 'union'].includes(schema._zod.def.type);
  return takesUndefined ? (value) => value !== undefined && fits(value) : fits;
}

/** An object as JSON has them. Zod drops a key named `__proto__`. */
function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !Object.hasOwn(value, '__proto__');
}
