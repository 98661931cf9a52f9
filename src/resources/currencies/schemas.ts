import * as s from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { key } from '../fields.js';

export const currency = s.looseObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: s.string,
  description: s.nullish(s.string),
  symbol: s.nullish(s.string),
  decimal_places: s.nullish(s.integer),
});
/** A currency. */
export interface Currency extends Output<typeof currency> {}

export const currencyParams = s.strictObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: key,
});
/** The input of `currencies.get`. */
export interface CurrencyParams extends Input<typeof currencyParams> {}
