import { inspect } from '../../../core/schema/inspect.js';
import { array, nullish, picked, preprocess } from '../../../core/schema/schema.js';
import type { Issue } from '../../../core/schema/issue.js';
import type { Schema, Shape } from '../../../core/schema/schema.js';

type Plain<T> = NonNullable<T> extends readonly (infer Entry)[] ? NonNullable<Entry> : NonNullable<T>;
type HoldsFields<T> = Plain<T> extends object ? (keyof Plain<T> extends never ? false : true) : false;

/** Which fields to select: `true` for a whole field, an object for some of its fields. */
export type Selection<T> = {
  readonly [Name in keyof T]?: true | (HoldsFields<T[Name]> extends true ? Selection<Plain<T[Name]>> : never);
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

/** A selection at run time, after `selectionIssues` has checked it. */
export type AnySelection = true | { readonly [name: string]: AnySelection };

/** Returns the issues of a selection: unknown fields, and values that are neither `true` nor an object of fields. */
export function selectionIssues(schema: Schema, select: unknown, path: readonly string[]): Issue[] {
  if (select === true) return [];
  const shape = shapeWithin(schema);
  const say = (message: string): Issue[] => [{ path, message: `\`${path.join('.')}\` ${message}` }];
  if (!shape) return say('has no fields to select; it takes `true`');
  if (typeof select !== 'object' || select === null || Array.isArray(select))
    return say('takes `true` or an object of fields');
  const names = Object.keys(select);
  if (names.length === 0) return say('selects nothing; it takes at least one field');
  return names.flatMap((name) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const at = [...path, name];
    if (!field) return [{ path: at, message: `\`${at.join('.')}\` is not a field here` }];
    return selectionIssues(field, (select as Record<string, unknown>)[name], at);
  });
}

/** Returns the selection as GraphQL, e.g. `{address{city{name}}}`; empty for a field without fields. */
export function printSelection(schema: Schema, select: AnySelection): string {
  const shape = shapeWithin(schema);
  if (!shape) return '';
  const names = select === true ? Object.keys(shape) : Object.keys(select);
  const fields = names.map(
    (name) => name + printSelection(shape[name] as Schema, select === true || (select[name] ?? true)),
  );
  return `{${fields.join(' ')}}`;
}

/** Returns the schema reduced to the selected fields. */
export function applySelection(schema: Schema, select: AnySelection): Schema {
  const found = inspect(schema);
  switch (found.kind) {
    case 'array':
      return array(applySelection(found.of, select));
    case 'optional':
    case 'nullable':
      return nullish(applySelection(found.of, select));
    case 'preprocess':
      return preprocess(applySelection(found.of, select), found.reader);
    case 'object': {
      const { shape } = found;
      const names = select === true ? Object.keys(shape) : Object.keys(select);
      const chosen = (name: string): AnySelection => select === true || (select[name] ?? true);
      return picked(
        Object.fromEntries(names.map((name) => [name, applySelection(shape[name] as Schema, chosen(name))])),
      );
    }
    default:
      return schema;
  }
}

/** Returns the fields of an object schema, also inside lists and other wrappers; `undefined` if it has no fields. */
function shapeWithin(schema: Schema): Shape | undefined {
  const found = inspect(schema);
  switch (found.kind) {
    case 'array':
    case 'optional':
    case 'nullable':
    case 'preprocess':
      return shapeWithin(found.of);
    case 'object':
      return found.shape;
    default:
      return undefined;
  }
}
