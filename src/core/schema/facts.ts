/** What zod's definition of a schema does not say; the documents, the fake and `decode` read it. */
export interface Facts {
  /** The documented type, where several spellings of it are read. */
  readonly type?: 'integer' | 'int64' | 'number';
  /** The known values of an open enum. */
  readonly values?: readonly string[];
  readonly format?: 'date-time';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}
