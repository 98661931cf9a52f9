import { entity, integer, list, maybe, request, text } from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { key } from '../../core/schema/fields.js';

/** A currency. Spec: Currency. */
export const currency = entity({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: text,
  description: maybe(text),
  symbol: maybe(text),
  decimal_places: maybe(integer),
});
export interface Currency extends Output<typeof currency> {}

export const currencies = list(currency) as Schema<Currency[]>;

export const noInput = request({});
/** An input without fields. */
export interface NoInput extends Input<typeof noInput> {}

export const currencyParams = request({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: key,
});
export interface CurrencyParams extends Input<typeof currencyParams> {}
