/** Where something is in a value. */
export type Path = readonly PropertyKey[];

/** A problem of a value: its path, and a sentence. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The result of a rule of `refine`: a sentence, and the path of the field if it is not the value itself. */
export type RefineResult = string | { readonly path: Path; readonly message: string } | undefined;
