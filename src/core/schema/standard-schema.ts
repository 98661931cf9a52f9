/**
 * What an endpoint needs from a schema: Standard Schema 1, which zod, Valibot, ArkType and this package's schemas
 * implement. `In` is the type of the input, `Out` is the type of the validated output.
 */
export interface StandardSchema<out Out = unknown, out In = Out> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
  };
}

/** The result of validation by a Standard Schema. */
export type StandardResult<Out> =
  { readonly value: Out; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
