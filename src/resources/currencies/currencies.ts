import type { ApiPromise } from '../../core/api-promise.js';
import type { Reduce } from '../../core/attributes.js';
import type { Caller } from '../../core/caller.js';
import type { CallOptions } from '../../core/options.js';
import * as endpoints from './endpoints.js';
import type { Currency, CurrencyId, NoInput } from './schemas.js';

/** The currencies that prices are in. Spec: Common resources. */
export class Currencies {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** All currencies. Spec: GET /currencies. */
  list<const Name extends keyof Currency>(
    input: NoInput | undefined,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<Currency, Name>[]>;
  list(input?: NoInput, options?: CallOptions): ApiPromise<Currency[]>;
  list(input: NoInput = {}, options?: CallOptions): ApiPromise<Currency[]> {
    return this.#caller.call(endpoints.list, input, options);
  }

  /**
   * One currency. Spec: GET /currencies/{id}.
   *
   * @throws {NotFoundError} when there is no such currency.
   */
  get<const Name extends keyof Currency>(
    input: CurrencyId,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<Currency, Name>>;
  get(input: CurrencyId, options?: CallOptions): ApiPromise<Currency>;
  get(input: CurrencyId, options?: CallOptions): ApiPromise<Currency> {
    return this.#caller.call(endpoints.get, input, options);
  }
}
