import { entity, integer, list, maybe, request, text } from '../../core/schema.js';
import type { Input, Output, Schema } from '../../core/schema.js';
import { key } from '../../core/vocabulary.js';

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

export const currencyId = request({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: key,
});
export interface CurrencyId extends Input<typeof currencyId> {}
