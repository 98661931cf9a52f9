import { inspect } from '../src/core/schema/inspect.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { Catalogue, PublicMethod } from './catalogue.ts';
import { codeSpan } from './export-sections.ts';
import { linkTo, typeOf } from './schema-tables.ts';

/** What a method resolves to, in words: its declared result, or the output of its endpoint if that says more. */
export function resultType({ endpoint, method }: Pick<PublicMethod, 'endpoint' | 'method'>, all: Catalogue): string {
  const schema = endpoint?.output;
  const declared = declaredResult(method.signatures[0] ?? '');
  const words = inWords(declared, all);
  if (schema && !isAny(schema) && (words === undefined || words.includes('any value'))) return typeOf(schema, all);
  return words ?? firstNamed(declared, all) ?? codeSpan(declared);
}

/** The declared result of a call: `Question[]` in `list(input: Params): ApiPromise<Question[]>`. */
function declaredResult(signature: string): string {
  const type = signature.slice(signature.lastIndexOf('): ') + '): '.length);
  return /^(?:Api)?Promise<(.+)>$/.exec(type)?.[1] ?? type;
}

const plain: Readonly<Record<string, string>> = { unknown: 'any value', undefined: 'nothing' };

/** Describes a type; `undefined` for one that has no words here. */
function inWords(type: string, all: Catalogue): string | undefined {
  const [, optional] = /^(.+) \| undefined$/.exec(type) ?? [];
  if (optional !== undefined) return followed(inWords(optional, all), ' or `undefined`');
  const [, entry] = /^(.+)\[\]$/.exec(type) ?? [];
  if (entry !== undefined) return preceded('list of ', inWords(entry, all));
  const [, selected] = /^(?:Attributed|Pick)<(\w+), \w+>$/.exec(type) ?? [];
  if (selected !== undefined) return inWords(selected, all);
  if (['boolean', 'string', 'number'].includes(type)) return type;
  const [, shared] = /^(Paged|Download)\b/.exec(type) ?? [];
  if (shared !== undefined) return `[\`${type}\`](client.md#${shared})`;
  const isNamed = type === 'Conversation' || [...all.schemas.values()].some((each) => each.type === type);
  return plain[type] ?? (isNamed ? linkTo(type) : undefined);
}

const followed = (words: string | undefined, end: string): string | undefined => words && words + end;
const preceded = (start: string, words: string | undefined): string | undefined => words && start + words;

/** A link to the first named schema in a type. */
function firstNamed(type: string, all: Catalogue): string | undefined {
  const words: readonly string[] = type.match(/\w+/g) ?? [];
  const found = [...all.schemas.values()].find((each) => words.includes(each.type));
  return found && linkTo(found.type);
}

function isAny(schema: StandardSchema): boolean {
  const found = inspect(schema);
  return found.kind === 'preprocess' ? isAny(found.of) : found.kind === 'unknown' || found.kind === 'record';
}
