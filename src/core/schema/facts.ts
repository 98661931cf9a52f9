/** Facts that zod's definition of a schema does not contain. The documents, the fake and `decode` use them. */
export interface Facts {
  /** The documented type, if zod's definition does not contain it. */
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
   * What happens to an invalid entry of a list. `main`: the entry is left out; the list is the main content of the
   * response. `whole`: the list is invalid, and so is the object that contains it.
   */
  readonly list?: 'main' | 'whole';
}
