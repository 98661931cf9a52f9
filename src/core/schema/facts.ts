/** What this package knows of a schema, and zod does not. */
export interface Facts {
  /** The documented type, if zod's definition does not contain it. */
  readonly type?: 'string' | 'int64';
  /** The known values of an open enum. */
  readonly values?: readonly string[];
  /**
   * What happens to an invalid entry of a list. `main`: the entry is left out; the list is the main content of the
   * response. `whole`: the list is invalid, and so is the object that contains it.
   */
  readonly list?: 'main' | 'whole';
  /** Any other value is returned as it came, and reported: the call has succeeded without it. */
  readonly acceptsAny?: true;
  /** How a value of an input is written into the request, if not as it is. */
  readonly write?: (value: never) => unknown;
}

/** Keywords of JSON Schema, which `z.toJSONSchema` prints. */
export interface Keywords {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly object[];
}
