import type { Schema, Shape } from './schema.js';

/** What a rule finds wrong: a sentence, with the field it concerns where that is not the value itself. */
export type Finding = string | { readonly path: readonly PropertyKey[]; readonly message: string } | undefined;

/** What a schema is, as data: the validators are built from it, the tools print it, `decode` reads by it. */
export type Definition =
  | { readonly kind: 'text'; readonly format?: string }
  | { readonly kind: 'number' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'wideInteger' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'anything' }
  | { readonly kind: 'map' }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: 'list'; readonly of: Schema }
  | { readonly kind: 'maybe'; readonly of: Schema }
  | { readonly kind: 'optional'; readonly of: Schema }
  | { readonly kind: 'either'; readonly of: readonly [Schema, ...Schema[]] }
  | Checked
  | Read
  | { readonly kind: 'entity'; readonly shape: Shape }
  | { readonly kind: 'exact'; readonly shape: Shape }
  | { readonly kind: 'request'; readonly shape: Shape };

interface Read {
  readonly kind: 'read';
  readonly of: Schema;
  readonly read: (value: unknown) => unknown;
  /** Marks what came of a value that is read by itself. */
  readonly note?: (data: never, value: unknown) => void;
}

interface Checked {
  readonly kind: 'checked';
  readonly of: Schema;
  readonly check: (value: never) => Finding;
  /** What the OpenAPI document says of the rule, e.g. `{ maxLength: 2000 }`. */
  readonly facts?: Readonly<Record<string, unknown>>;
}
