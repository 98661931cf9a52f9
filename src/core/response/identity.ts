import type { Issue } from '../errors/issue.js';
import type { Endpoint } from '../operation/endpoint.js';

type NamedValues = Readonly<Record<string, unknown>>;

/**
 * Finds the part of an output that names another resource than the input does: then the response belongs to another request.
 * What is absent on either side is not compared.
 */
export function identityMismatch(
  { identity = {} }: Pick<Endpoint, 'identity'>,
  input: unknown,
  output: unknown,
): Issue | undefined {
  for (const path of new Set(Object.values(identity))) {
    const asked: string[] = [];
    const named: string[] = [];
    for (const [field, itsPath] of Object.entries(identity)) {
      const given = itsPath === path ? (input as NamedValues)[field] : undefined;
      if (given === undefined) continue;
      asked.push(`\`${field}\``);
      addIds(given, named);
    }
    const steps = path.split('.');
    for (const id of idsAt(output, steps, [])) {
      if (named.includes(id) || !isComparable(id, named)) continue;
      return { path: steps, message: `\`${path}\` is ${id}, not the ${asked.join(' or ')} of the call` };
    }
  }
  return undefined;
}

/** Adds the ids at a path to a list: `id`, `*.id`, `messages.*.message_resources.name=packs.id`. */
function idsAt(value: unknown, [step, ...rest]: readonly string[], found: string[]): string[] {
  if (step === undefined) {
    addIds(value, found);
    return found;
  }
  const [name = '', wanted] = step.split('=');
  if (step !== '*' && wanted === undefined)
    return idsAt((value as NamedValues | null | undefined)?.[name], rest, found);
  for (const entry of Array.isArray(value) ? (value as unknown[]) : [value])
    if (wanted === undefined || String((entry as NamedValues | null)?.[name]).toLowerCase() === wanted)
      idsAt(entry, rest, found);
  return found;
}

/** Adds ids as text. The service writes some as numbers and some as text, and sites and items in upper case. */
function addIds(value: unknown, ids: string[]): void {
  for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if ((typeof each !== 'string' || each === '') && !Number.isSafeInteger(each)) continue;
    ids.push(
      String(each)
        .toUpperCase()
        .replace(/^0+(?=\d)/, ''),
    );
  }
}

const digits = /^\d+$/;

/** A text in place of a number is drift and names no other resource. */
function isComparable(id: string, named: readonly string[]): boolean {
  return named.some((each) => digits.test(id) || !digits.test(each));
}
