import type { ApiPromise } from '../../core/operation/api-promise.js';
import type { Attributed, WithAttributes } from '../../core/operation/attributes.js';
import type { Requester } from '../../core/operation/requester.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import type { NoInput } from '../fields.js';
import { currencyEndpoints } from './endpoints.js';
import type { Currency, CurrencyParams } from './schemas.js';

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
    input: NoInput = {},
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
    input: CurrencyParams,
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<Currency, Name>> {
    return this.#requester.call(currencyEndpoints.get, input, options);
  }
}
