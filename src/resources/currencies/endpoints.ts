import type { Endpoint } from '../../core/endpoint.js';
import { documentedError } from '../../core/errors/documented-error.js';
import { currencies, currency, currencyParams, noInput } from './schemas.js';
import type { Currency, CurrencyParams, NoInput } from './schemas.js';

const list: Endpoint<NoInput, Currency[]> = {
  name: 'currencies.list',
  method: 'GET',
  path: '/currencies',
  input: noInput,
  output: currencies,
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const get: Endpoint<CurrencyParams, Currency> = {
  name: 'currencies.get',
  method: 'GET',
  path: '/currencies/{id}',
  input: currencyParams,
  output: currency,
  retry: 'safe',
  errors: [documentedError({ status: 404, code: 'not_found', message: 'Currency not found' })],
  supportsAttributes: true,
};

/** The endpoints of currencies, as `endpoints` has them. */
export const currencyEndpoints = { list, get };
