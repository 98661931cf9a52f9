import { isObject } from '../../../core/json/json.js';
import { inspect, type Inspected, type Schema, type Shape } from '../../../core/schema/schema.js';
import { array, nullish, object, preprocess, unknown } from '../../../core/schema/define.js';
import type { Issue } from '../../../core/errors/errors.js';

type Plain<T> = NonNullable<T> extends readonly (infer Entry)[] ? NonNullable<Entry> : NonNullable<T>;

/** Which fields to select: `true` for a whole field, an object for some of its fields. */
export type Selection<T> = {
  readonly [Name in keyof T]?:
    | true
    | (Plain<T[Name]> extends object
        ? keyof Plain<T[Name]> extends never
          ? never
          : Selection<Plain<T[Name]>>
        : never);
};

/** Rejects fields that `T` does not have, at any depth. */
export type Exact<T, S> = {
  readonly [Name in keyof S]: Name extends keyof T
    ? S[Name] extends true
      ? true
      : Exact<Plain<T[Name]>, S[Name]>
    : never;
};

/** The part of `T` that a selection selects: exactly its fields, also inside lists and nullable fields. */
export type Selected<T, S> = S extends true
  ? T
  : T extends readonly (infer Entry)[]
    ? Selected<Entry, S>[]
    : T extends object
      ? {
          [Name in keyof T as Name extends keyof S ? Name : never]: Name extends keyof S
            ? Selected<T[Name], S[Name]>
            : never;
        }
      : T;

/** A selection, applied to a schema. With `issues`, its other parts are incomplete. */
export interface AppliedSelection {
  /** Unknown fields, and values that are neither `true` nor an object of fields. */
  readonly issues: readonly Issue[];
  /** The selection as GraphQL, e.g. `{address{city{name}}}`; empty for a schema without fields. */
  readonly graphql: string;
  /** Returns the schema, reduced to the selected fields. */
  readonly schema: () => Schema;
}

/** Applies a selection to a schema: to its fields, also inside lists and other wrappers. `path` is where it is. */
export function applySelection(schema: Schema, select: unknown, path: readonly string[]): AppliedSelection {
  const found = inspect(schema);
  switch (found.kind) {
    case 'array':
    case 'optional':
    case 'nullable':
    case 'preprocess': {
      const inner = applySelection(found.of, select, path);
      return { ...inner, schema: () => wrapped(found, inner.schema()) };
    }
    case 'object':
      return applyToFields(found.shape, select === true ? allOf(found.shape) : select, path);
    default:
      return {
        issues: select === true ? [] : say(path, 'has no fields to select; it takes `true`'),
        graphql: '',
        schema: () => schema,
      };
  }
}

function wrapped(found: Extract<Inspected, { of: Schema }>, of: Schema): Schema {
  if (found.kind === 'array') return array(of);
  return found.kind === 'preprocess' ? preprocess(of, found.reader) : nullish(of);
}

function applyToFields(shape: Shape, select: unknown, path: readonly string[]): AppliedSelection {
  const given = isObject(select) ? select : {};
  const names = Object.keys(given);
  const fields = names.map((name) => {
    const at = [...path, name];
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field) return { name, issues: say(at, 'is not a field here'), graphql: '', schema: () => unknown };
    return { name, ...applySelection(field, given[name], at) };
  });
  const nothing = isObject(select)
    ? 'selects nothing; it takes at least one field'
    : 'takes `true` or an object of fields';
  return {
    issues: names.length === 0 ? say(path, nothing) : fields.flatMap(({ issues }) => issues),
    graphql: `{${fields.map(({ name, graphql }) => name + graphql).join(' ')}}`,
    schema: () => object(Object.fromEntries(fields.map((field) => [field.name, field.schema()]))),
  };
}

/** Selects every one of these fields. */
export function allOf(shape: object): { [name: string]: true } {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true]));
}

function say(path: readonly string[], message: string): Issue[] {
  return [{ path, message: `\`${path.join('.')}\` ${message}` }];
}
