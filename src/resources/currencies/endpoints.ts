import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { alone, bareList, noInput } from '../fields.js';
import type { NoInput } from '../fields.js';
import { array, preprocess } from '../../core/schema/define.js';
import { documentedError } from '../../core/operation/documented-error.js';
import { currency, currencyParams } from './schemas.js';
import type { Currency, CurrencyParams } from './schemas.js';

const list: DescribedEndpoint<NoInput, Currency[]> = {
  name: 'currencies.list',
  summary: 'Lists the currencies',
  method: 'GET',
  path: '/currencies',
  input: noInput,
  example: {},
  output: preprocess<Currency[]>(array(currency), bareList('id', 'currencies')),
  retry: 'safe',
  errors: [],
  supportsAttributes: true,
};

const get: DescribedEndpoint<CurrencyParams, Currency> = {
  name: 'currencies.get',
  summary: 'Reads a currency',
  method: 'GET',
  path: '/currencies/{id}',
  input: currencyParams,
  example: { id: 'BRL' },
  output: preprocess<Currency>(currency, alone),
  retry: 'safe',
  errors: [
    /* @__PURE__ */ documentedError({
      section: 'Common resources used as examples',
      condition: 'no such currency',
      status: 404,
      code: 'not_found',
      message: 'Currency not found',
    }),
  ],
  supportsAttributes: true,
};

/** The endpoints of currencies, as `endpoints` has them. */
export const currencyEndpoints = { list, get };
