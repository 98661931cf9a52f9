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
    return { ofAnother: { path, message: `\`${path.join('.')}\` is ${id}, not ${asked}` }, differences: [] };
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

/**
 * Compares the ids at each path of an output: `id`, `*.id`, `questions.*.seller_id`. `*` is each entry of a list, or the value
 * itself if it is no list.
 */
function compareAt(
  paths: Endpoint['identity'],
  input: unknown,
  output: unknown,
): { hasSame: boolean; others: OtherId[] } {
  const found: ReturnType<typeof compareAt> = { hasSame: false, others: [] };
  if (!paths) return found;
  for (const path of new Set(Object.values(paths))) {
    const fields = Object.keys(paths).filter((field) => paths[field] === path);
    const given = fields.filter((field) => (valueAt(field.split('.'), input) ?? undefined) !== undefined);
    const ids: unknown[] = given.flatMap((field) => valueAt(field.split('.'), input)).map(idText);
    const steps = path.split('.');
    const star = steps.indexOf('*');
    const around = steps.slice(0, Math.max(0, star));
    const inside = steps.slice(star + 1);
    const value = ids.length > 0 ? valueAt(around, output) : undefined;
    const list = star >= 0 && Array.isArray(value) ? (value as unknown[]) : undefined;
    for (const [index, entry] of (list ?? [value]).entries()) {
      const id = valueAt(inside, entry);
      if (!isId(id)) continue;
      if (ids.includes(id) || ids.includes(idText(id))) {
        // Most entries of a list repeat the id as it was in the first.
        if (!ids.includes(id)) ids.push(id);
        found.hasSame = true;
      } else if (isComparable(id, ids)) {
        const asked = `the ${given.map((field) => `\`${field}\``).join(' or ')} of the call`;
        found.others.push({ path: [...around, ...(list ? [index] : []), ...inside], id, asked });
      }
    }
  }
  return found;
}

function isId(value: unknown): value is number | string {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value !== '');
}

/** Returns an id as text that is the same for the same entity. The service writes some as numbers and some as text, and sites and items in upper case. */
export function idText(id: unknown): string {
  return String(id)
    .toUpperCase()
    .replace(/^0+(?=\d)/, '');
}

const digits = /^\d+$/;

/** A text in place of a number is drift and names no other resource. */
function isComparable(id: number | string, asked: readonly unknown[]): boolean {
  return digits.test(String(id)) || asked.some((each) => !digits.test(String(each)));
}
