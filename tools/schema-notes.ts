import { inspect, keywordsOf } from '../src/core/schema/inspect.js';
import type { StandardSchema } from '../src/core/schema/standard-schema.js';
import type { FieldProse } from './prose.ts';

/** The notes on a field: its prose, and the limits that the prose does not name. */
export function notes(field: StandardSchema, prose: FieldProse | undefined): string {
  const text = prose?.text ?? '';
  return [
    text,
    ...limitsOf(field)
      .filter(({ number }) => !text.includes(number))
      .map(({ sentence }) => sentence),
  ].join(' ');
}

interface Limit {
  /** The number, as prose writes it. */
  readonly number: string;
  readonly sentence: string;
}

/** Returns the limits of a schema. */
function limitsOf(schema: StandardSchema): Limit[] {
  const found = inspect(schema);
  if (found.kind === 'optional' || found.kind === 'nullable') return limitsOf(found.of);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = keywordsOf(schema);
  return [
    // So is a minimum of one character.
    ...range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters'),
    // A minimum of 0 is obvious for ids and offsets.
    ...range(minimum === 0 ? undefined : minimum, maximum, ''),
    ...range(minItems, maxItems, ' entries'),
  ];
}

function range(least: unknown, most: unknown, unit: string): Limit[] {
  const [low, high] = [written(least), written(most)];
  if (high !== undefined)
    return [{ number: high, sentence: `${low === undefined ? 'At most' : `${low} to`} ${high}${unit}.` }];
  return low === undefined ? [] : [{ number: low, sentence: `At least ${low}${unit}.` }];
}

function written(value: unknown): string | undefined {
  return typeof value === 'number' ? value.toLocaleString('en') : undefined;
}
