/** The kinds of odd responses. Each is named after what the live service was seen to do. */
export const oddKinds = [
  'unknown-fields',
  'nulls',
  'absent',
  'text-ids',
  'letter-case',
  'timestamps',
  'shape',
  'status',
  'error-keys',
  'error-text',
] as const;

/** A kind of odd response. */
export type OddKind = (typeof oddKinds)[number];

/** Which responses are odd. */
export interface OddShare {
  /** The share of responses, from 0 to 1. @default 1 */
  readonly share?: number | undefined;
  /** The seed of the random numbers: the same seed selects the same responses and kinds. @default 1 */
  readonly seed?: number | undefined;
  /** Only the responses of these endpoints, e.g. `['questions.get']`. @default all endpoints */
  readonly endpoints?: readonly string[] | undefined;
  /** Only these kinds. @default every kind that fits the response */
  readonly kinds?: readonly OddKind[] | undefined;
}
