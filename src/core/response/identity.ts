import type { Issue, Path } from '../errors/issue.js';
import type { Endpoint } from '../operation/endpoint.js';
import { valueAt } from '../schema/issues.js';
import type { Difference } from '../schema/read.js';

interface ComparedIds {
  /** Why the response belongs to another request; `undefined` if it does not. */
  readonly ofAnother?: Issue | undefined;
  /** The ids that differ in a response that belongs to this request. */
  readonly differences: readonly Difference[];
}

/** Compares the ids in an output with those of the input. What is absent on either side is not compared. */
export function compareIds(
  { identity, listOf, related }: Pick<Endpoint, 'identity' | 'listOf' | 'related'>,
  input: unknown,
  output: unknown,
): ComparedIds {
  const own = compareAt(identity, input, output);
  const owners = compareAt(listOf, input, output);
  const [ofAnother] = owners.hasSame ? own.others : [...own.others, ...owners.others];
  if (ofAnother) {
    const { path, id, asked } = ofAnother;
    return { ofAnother: { path, message: `\`${path.join('.')}\` is ${textOf(id)}, not ${asked}` }, differences: [] };
  }
  const differences = [...owners.others, ...compareAt(related, input, output).others].map(({ path, id, asked }) => {
    return { path, message: `\`${path.join('.')}\` takes ${asked}`, received: typeof id };
  });
  return { differences };
}

/** An id that is none of those asked for, and what asks for them, in words. */
interface OtherId {
  readonly path: Path;
  readonly id: number | string;
  readonly asked: string;
}

/** Compares the ids at each path of an output: `id`, `*.id`, `questions.*.seller_id`. */
function compareAt(
  paths: Readonly<Record<string, string>> = {},
  input: unknown,
  output: unknown,
): { hasSame: boolean; others: OtherId[] } {
  const found: ReturnType<typeof compareAt> = { hasSame: false, others: [] };
  for (const path of new Set(Object.values(paths))) {
    const fields = Object.keys(paths).filter((field) => paths[field] === path);
    const given = fields.filter((field) => (valueAt(field.split('.'), input) ?? undefined) !== undefined);
    const ids = new Set<unknown>(given.flatMap((field) => valueAt(field.split('.'), input)).map(textOf));
    const asked = `the ${given.map((field) => `\`${field}\``).join(' or ')} of the call`;
    for (const [at, id] of ids.size > 0 ? idsAt(output, path.split('.')) : []) {
      if (ids.has(id) || ids.has(textOf(id))) {
        // Most entries of a list repeat the id as it was in the first.
        ids.add(id);
        found.hasSame = true;
      } else if (isComparable(id, ids)) found.others.push({ path: at, id, asked });
    }
  }
  return found;
}

/** The ids at a path, with where each is. `*` is each entry of a list, or the value itself if it is no list. */
function* idsAt(output: unknown, steps: readonly string[]): Generator<[Path, number | string]> {
  const star = steps.indexOf('*');
  const around = steps.slice(0, Math.max(0, star));
  const inside = steps.slice(star + 1);
  const value = valueAt(around, output);
  const list = star >= 0 && Array.isArray(value) ? (value as unknown[]) : undefined;
  for (const [index, entry] of (list ?? [value]).entries()) {
    const id = valueAt(inside, entry);
    if (isId(id)) yield [[...around, ...(list ? [index] : []), ...inside], id];
  }
}

function isId(value: unknown): value is number | string {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value !== '');
}

/** An id as text. The service writes some as numbers and some as text, and sites and items in upper case. */
function textOf(id: unknown): string {
  return String(id)
    .toUpperCase()
    .replace(/^0+(?=\d)/, '');
}

const digits = /^\d+$/;

/** A text in place of a number is drift and names no other resource. */
function isComparable(id: number | string, asked: ReadonlySet<unknown>): boolean {
  return digits.test(String(id)) || [...asked].some((each) => !digits.test(String(each)));
}
