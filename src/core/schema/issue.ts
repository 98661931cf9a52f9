/** One thing that is wrong with a value: where, and a sentence. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
