import type { ApiPromise, Attributed, Requester, WithAttributes } from '../../core/operation/api-promise.js';
import { documentedError } from '../../core/operation/documented-error.js';
import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import * as s from '../../core/schema/define.js';
import { array, preprocess } from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { alone, bareList, key, noInput, type NoInput } from '../fields.js';

/** The currencies of prices. */
export class Currencies {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns all currencies. Request: GET /currencies.
   *
   * @example
   * for (const { id, symbol } of await seller.currencies.list()) console.log(id, symbol);
   */
  list<const Name extends keyof Currency = keyof Currency>(
    input: Readonly<Record<string, never>> = {},
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<Currency, Name>[]> {
    return this.#requester.call(currencyEndpoints.list, input, options);
  }

  /**
   * Returns one currency. Request: GET /currencies/{id}.
   *
   * @example
   * const { symbol, decimal_places } = await seller.currencies.get({ id: 'ARS' });
   * console.log(symbol, decimal_places);
   * @throws {NotFoundError} when the currency does not exist.
   */
  get<const Name extends keyof Currency = keyof Currency>(
    input: Input<typeof currencySchemas.currencyParams>,
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<Currency, Name>> {
    return this.#requester.call(currencyEndpoints.get, input, options);
  }
}

export const currency = s.looseObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: s.string,
  description: s.nullish(s.string),
  symbol: s.nullish(s.string),
  decimal_places: s.nullish(s.integer),
});
/** A currency. */
export interface Currency extends Output<typeof currencySchemas.currency> {}

const currencyParams = s.strictObject({
  /** The ISO 4217 code, e.g. `BRL`. */
  id: key,
});
/** The input of `currencies.get`. */
export type CurrencyParams = Input<typeof currencySchemas.currencyParams>;

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

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const currencySchemas = { currency, currencyParams };
