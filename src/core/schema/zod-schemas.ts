// The zod schemas of the builders in schema.ts. They are made of zod/v4/core, the part of zod that is meant for libraries:
// the methods of zod/mini, which only a program would call, would add 0.9 KiB to a bundle.
import * as z from 'zod/v4/core';
import { isPlainObject } from '../plain-object.js';
import { isNumber } from './fits.js';
import type { RefineResult } from './issue.js';

export function zodString(): z.$ZodType {
  return new z.$ZodString({ type: 'string' });
}

export function zodBoolean(): z.$ZodType {
  return new z.$ZodBoolean({ type: 'boolean' });
}

export function zodUnknown(): z.$ZodType {
  return new z.$ZodUnknown({ type: 'unknown' });
}

export function zodNever(): z.$ZodType {
  return new z.$ZodNever({ type: 'never' });
}

/** An object. `unknownFields` checks the fields that are not in `shape`; without it, they are removed. */
export function zodObject(shape: object, unknownFields?: z.$ZodType): z.$ZodType {
  const def = { type: 'object', shape: shape as z.$ZodLooseShape } as const;
  return new z.$ZodObject(unknownFields ? { ...def, catchall: unknownFields } : def);
}

export function zodEnum(values: readonly string[]): z.$ZodType {
  return new z.$ZodEnum({ type: 'enum', entries: Object.fromEntries(values.map((value) => [value, value])) });
}

export function zodOptional(innerType: z.$ZodType): z.$ZodType {
  return new z.$ZodOptional({ type: 'optional', innerType });
}

export function zodNullish(innerType: z.$ZodType): z.$ZodType {
  return zodOptional(new z.$ZodNullable({ type: 'nullable', innerType }));
}

export function zodUnion(...options: z.$ZodType[]): z.$ZodType {
  return new z.$ZodUnion({ type: 'union', options });
}

/** Returns a copy of a schema with one more check. */
export function withCheck(schema: z.$ZodType, rule: (value: unknown) => RefineResult): z.$ZodType {
  const check: z.CheckFn<unknown> = ({ value, issues }) => {
    const found = rule(value);
    if (found === undefined) return;
    const { path, message } = typeof found === 'string' ? { path: [], message: found } : found;
    issues.push({ code: 'custom', input: value, path: [...path], message });
  };
  const { def } = schema._zod;
  const added = { _zod: { check, def: { check: 'custom' }, onattach: [] } } as unknown as z.$ZodCheck;
  return z.clone(schema, { ...def, checks: [...(def.checks ?? []), added] }, { parent: true });
}

/**
 * Reads a value; `issues.push()` reports what is wrong with it. Zod's own numbers and records would add 1.3 KiB to a
 * bundle.
 */
function reader(read: z.$ZodTransformDef['transform']): z.$ZodType {
  return new z.$ZodTransform({ type: 'transform', transform: read });
}

/**
 * Reads a number, or its decimal text.
 *
 * @param keepsUnsafe Whether digits that exceed 2^53 are returned unchanged; otherwise, they are an issue.
 */
export function zodNumber(expected: 'int' | 'number', keepsUnsafe?: boolean): z.$ZodType {
  return reader((input, { issues }) => {
    const isInt = expected === 'int';
    const isText = typeof input === 'string' && (isInt ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(input);
    const value = isText ? Number(input) : input;
    if (isInt ? Number.isSafeInteger(value) : isNumber(value)) return value;
    if (isText && keepsUnsafe) return input;
    if (Number.isInteger(value))
      issues.push({ code: 'too_big', origin: 'int', maximum: Number.MAX_SAFE_INTEGER, input });
    else issues.push({ code: 'invalid_type', expected, input });
    return z.NEVER;
  });
}

export function zodRecord(): z.$ZodType {
  return reader((input, { issues }) => {
    if (isPlainObject(input)) return Object.fromEntries(Object.entries(input).filter(([name]) => name !== '__proto__'));
    issues.push({ code: 'invalid_type', expected: 'record', input });
    return z.NEVER;
  });
}
