import type { Issue, Path } from '../errors/issue.js';
import type { Endpoint } from '../operation/endpoint.js';
import { valueAt } from '../schema/issues.js';
import type { Difference } from '../schema/read.js';

type Paths = Readonly<Record<string, string>>;

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
  const own = found(identity, input, output);
  const owners = found(listOf, input, output);
  const [ofAnother] = owners.same === 0 ? [...own.others, ...owners.others] : own.others;
  if (ofAnother) return { ofAnother: issueOf(ofAnother), differences: [] };
  return { differences: [...owners.others, ...found(related, input, output).others].map(differenceOf) };
}

/** An id that is none of those asked for, and the fields of the input that ask for them. */
interface OtherId {
  readonly path: Path;
  readonly id: number | string;
  readonly fields: string;
}

interface SeenIds {
  /** How many ids are among those asked for. */
  same: number;
  readonly others: OtherId[];
}

/** Looks for ids at each path of an output: `id`, `*.id`, `questions.*.seller_id`. */
function found(paths: Paths = {}, input: unknown, output: unknown): SeenIds {
  const result: SeenIds = { same: 0, others: [] };
  for (const path of new Set(Object.values(paths))) {
    const names = Object.keys(paths).filter((name) => paths[name] === path);
    const given = names.filter((name) => (valueAt(name.split('.'), input) ?? undefined) !== undefined);
    const asked = new Set<unknown>(given.flatMap((name) => valueAt(name.split('.'), input)).map(textOf));
    const fields = given.map((name) => `\`${name}\``).join(' or ');
    if (asked.size > 0) compareAt(path.split('.'), output, asked, fields, result);
  }
  return result;
}

/** `*` is each entry of a list, or the value itself if it is no list. */
function compareAt(
  steps: readonly string[],
  output: unknown,
  asked: Set<unknown>,
  fields: string,
  result: SeenIds,
): void {
  const star = steps.indexOf('*');
  const around = steps.slice(0, Math.max(0, star));
  const inside = steps.slice(star + 1);
  const value = valueAt(around, output);
  const list: readonly unknown[] | undefined = star >= 0 && Array.isArray(value) ? value : undefined;
  for (const [index, entry] of (list ?? [value]).entries()) {
    const id = valueAt(inside, entry);
    if (!isId(id)) continue;
    // Most entries of a list repeat the id as it was in the first.
    if (asked.has(id) || asked.has(textOf(id))) {
      asked.add(id);
      result.same += 1;
    } else if (isComparable(id, asked))
      result.others.push({ path: [...around, ...(list ? [index] : []), ...inside], id, fields });
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

function issueOf({ path, id, fields }: OtherId): Issue {
  return { path, message: `\`${path.join('.')}\` is ${textOf(id)}, not the ${fields} of the call` };
}

function differenceOf({ path, id, fields }: OtherId): Difference {
  return { path, message: `\`${path.join('.')}\` takes the ${fields} of the call`, received: typeof id };
}
