import type { ApiPromise } from './core/api-promise.js';
import { HttpCaller } from './core/caller.js';
import type { Caller } from './core/caller.js';
import { describe } from './core/description.js';
import type { Description, ResourcePath } from './core/description.js';
import type { Endpoint } from './core/endpoint.js';
import { settingsOf } from './core/settings.js';
import type { CallOptions, ClientOptions } from './core/settings.js';
import { Questions } from './resources/questions/questions.js';

/**
 * The client of the seller API: one property a resource.
 *
 * @example
 * const seller = new SellerClient({ baseUrl: 'https://api.example.com', accessToken: process.env.SELLER_TOKEN });
 * for await (const question of seller.questions.search({ seller_id: 7 })) console.log(question.text);
 */
export class SellerClient {
  /** Buyers' questions, answers, the blacklist, the response time. */
  readonly questions: Questions;
  readonly #options: ClientOptions;
  readonly #caller: Caller;

  /** @throws {ConfigurationError} when an option is unknown or wrong. */
  constructor(options: ClientOptions) {
    this.#caller = new HttpCaller(settingsOf(options));
    this.#options = options;
    this.questions = new Questions(this.#caller);
  }

  /**
   * Calls any endpoint, also one of your own.
   *
   * @example
   * await seller.call(endpoints.questions.answer, { question_id: 42, text: 'Yes.' });
   * @throws {InvalidInputError} when the input does not fit the endpoint; nothing is sent.
   */
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out> {
    return this.#caller.call(endpoint, input, options);
  }

  /** What a resource says of itself (OPTIONS). Spec: Common conventions 5. */
  describe(input: ResourcePath, options?: CallOptions): ApiPromise<Description> {
    return this.#caller.call(describe, input, options);
  }

  /** A client with other options: cheap, and sharing nothing that could leak back. */
  with(options: Partial<ClientOptions>): SellerClient {
    return new SellerClient({ ...this.#options, ...options });
  }
}
