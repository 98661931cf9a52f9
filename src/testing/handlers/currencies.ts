import type { endpoints } from '../../endpoints.js';
import type { Currency } from '../../resources/currencies/currencies.js';
import { foundOrThrow } from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';

const currencies: readonly Currency[] = [
  { id: 'ARS', description: 'Peso argentino', symbol: '$', decimal_places: 2 },
  { id: 'BRL', description: 'Real', symbol: 'R$', decimal_places: 2 },
  { id: 'CLP', description: 'Peso chileno', symbol: '$', decimal_places: 0 },
  { id: 'COP', description: 'Peso colombiano', symbol: '$', decimal_places: 2 },
  { id: 'MXN', description: 'Peso mexicano', symbol: '$', decimal_places: 2 },
  { id: 'PEN', description: 'Sol', symbol: 'S/', decimal_places: 2 },
  { id: 'USD', description: 'Dólar', symbol: 'U$S', decimal_places: 2 },
  { id: 'UYU', description: 'Peso uruguayo', symbol: '$', decimal_places: 2 },
];

const bySite: Readonly<Record<string, string>> = {
  MLA: 'ARS',
  MLB: 'BRL',
  MLC: 'CLP',
  MCO: 'COP',
  MLM: 'MXN',
  MPE: 'PEN',
  MLU: 'UYU',
};

/** Returns the currency of a site. */
export function currencyOf(site_id: string): Pick<Currency, 'id' | 'symbol'> {
  return currencies.find(({ id }) => id === bySite[site_id]) ?? { id: 'USD', symbol: 'U$S' };
}

/** Handles currencies. */
export const currencyHandlers: EndpointHandlers<typeof endpoints.currencies> = {
  list: () => currencies,
  get: ({ params: { id = '' } }) =>
    foundOrThrow(
      currencies.find((each) => each.id === id.toUpperCase()),
      `Currency ${id}`,
    ),
};
