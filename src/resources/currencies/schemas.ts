import { integer, nullish, strictObject, looseObject, string } from '../../core/schema/schema.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { key } from '../../core/schema/fields.js';

/** A currency. */
export const currency = looseObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: string,
  description: nullish(string),
  symbol: nullish(string),
  decimal_places: nullish(integer),
});
export interface Currency extends Output<typeof currency> {}

export const noInput = strictObject({});
/** An input without fields. */
export interface NoInput extends Input<typeof noInput> {}

export const currencyParams = strictObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: key,
});
export interface CurrencyParams extends Input<typeof currencyParams> {}
