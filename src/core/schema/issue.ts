/** A problem of a value: its path, and a sentence. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
