import type { Endpoint } from '../../core/endpoint.js';
import { refusal } from '../../core/refusal.js';
import { currencies, currency, currencyId, noInput } from './schemas.js';
import type { Currency, CurrencyId, NoInput } from './schemas.js';

export const list: Endpoint<NoInput, Currency[]> = {
  name: 'currencies.list',
  method: 'GET',
  path: '/currencies',
  input: noInput,
  output: currencies,
  retry: 'read',
  errors: [],
  reducible: true,
};

export const get: Endpoint<CurrencyId, Currency> = {
  name: 'currencies.get',
  method: 'GET',
  path: '/currencies/{id}',
  input: currencyId,
  output: currency,
  retry: 'read',
  errors: [refusal({ status: 404, code: 'not_found', message: 'Currency not found' })],
  reducible: true,
};
