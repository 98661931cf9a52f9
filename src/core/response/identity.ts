import type { Issue } from '../errors/issue.js';
import type { Endpoint } from '../operation/endpoint.js';

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
    const fields = Object.keys(identity).filter((field) => identity[field] === path);
    const named = idsIn(fields.map((field) => fieldOf(input, field)));
    // A text in place of a number, or a number in place of a text, is drift and names no other resource.
    const isComparable = (id: string): boolean => named.some((each) => isNumeric(id) === isNumeric(each));
    const other = idsIn(valuesAt(output, path)).find((id) => isComparable(id) && !named.includes(id));
    const asked = fields.filter((field) => fieldOf(input, field) !== undefined).map((field) => `\`${field}\``);
    if (other !== undefined)
      return { path: path.split('.'), message: `\`${path}\` is ${other}, not the ${asked.join(' or ')} of the call` };
  }
  return undefined;
}

/** The values at a path: `id`, `*.id`, `messages.*.message_resources.name=packs.id`. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>((values, step) => values.flatMap((each) => stepInto(each, step)), [value]);
}

function stepInto(value: unknown, step: string): unknown[] {
  if (step === '*') return listOf(value);
  const [name = '', wanted] = step.split('=');
  if (wanted === undefined) return [fieldOf(value, name)];
  return listOf(value).filter((entry) => fieldOf(entry, name) === wanted);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Ids as text. The service writes some as numbers and some as text, and sites and items in upper case. */
function idsIn(values: readonly unknown[]): string[] {
  return values
    .flat()
    .filter((value) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value))
    .map((value) =>
      String(value)
        .toUpperCase()
        .replace(/^0+(?=\d)/, ''),
    );
}

function isNumeric(id: string): boolean {
  return /^\d+$/.test(id);
}
