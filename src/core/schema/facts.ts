/** What zod's definition of a schema does not say; the documents, the fake and `decode` read it. */
export interface Facts {
  /** The documented type, where zod's definition does not say it. */
  readonly type?: 'integer' | 'int64' | 'number' | 'record';
  /** The known values of an open enum. */
  readonly values?: readonly string[];
  readonly format?: 'date-time';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /**
   * What happens to an entry of a list that does not fit. `main`: it is left out, because the response is about this list.
   * `whole`: neither the list nor the object around it can be read without it.
   */
  readonly list?: 'main' | 'whole';
}
