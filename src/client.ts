import { ApiPromise } from './core/operation/api-promise.js';
import type { Attributed, WithAttributes } from './core/operation/api-promise.js';
import { createRuntime } from './core/client/call.js';
import { HttpClient } from './core/client/http-client.js';
import { describe, type Description, type descriptionSchemas } from './resources/describe.js';
import type { Endpoint } from './core/operation/endpoint.js';
import type { Confirmation, SentWriteOptions } from './core/errors/seller-error.js';
import type { CallOptions } from './core/scope/call-options.js';
import { callChecked } from './core/options/rules.js';
import { resolveOptions, type ClientOptions } from './core/options/client-options.js';
import type { Input, StandardSchema } from './core/schema/schema.js';
import type { PathInput, RequestLine } from './core/request/define-endpoint.js';
import type { InsideOfClient } from './core/recover/write-hook.js';
import { ActionGuide } from './resources/action-guide/action-guide.js';
import { Contacts } from './resources/contacts/contacts.js';
import { Currencies } from './resources/currencies/currencies.js';
import { Flex } from './resources/flex/flex.js';
import { FlexV2 } from './resources/flex-v2/flex-v2.js';
import type { ReadItemStatus } from './resources/flex-items/flex-items.js';
import { Items } from './resources/items/items.js';
import { Messages } from './resources/messages/messages.js';
import { Questions } from './resources/questions/questions.js';
import { Sites } from './resources/sites/sites.js';

/** The options of `request`. */
export interface RequestOptions<Out> extends CallOptions {
  /**
   * The schema of the response.
   *
   * @default the body as it came
   */
  readonly output?: StandardSchema<Out, unknown> | undefined;
}

/**
 * The client of the seller API, with one property per resource.
 *
 * @example
 * const seller = new SellerClient({ baseUrl: 'https://api.example.com', accessToken: process.env.SELLER_TOKEN });
 * for await (const question of seller.questions.search({ seller_id: 7 })) console.log(question.text);
 */
export class SellerClient {
  readonly #options: ClientOptions;
  readonly #http: HttpClient;
  // Each is created when it is first used: a bot makes a client per notification.
  #questions: Questions | undefined;
  #flex: Flex | undefined;
  #flexV2: FlexV2 | undefined;
  #contacts: Contacts | undefined;
  #items: Items | undefined;
  #sites: Sites | undefined;
  #currencies: Currencies | undefined;
  #actionGuide: ActionGuide | undefined;
  #messages: Messages | undefined;

  /**
   * Creates a client. It sends nothing. One client is enough for a whole program.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  constructor(options: ClientOptions);
  /** @internal */
  // oxlint-disable-next-line typescript/unified-signatures -- united, the internal parameter would be public
  constructor(options: ClientOptions, http: HttpClient);
  constructor(options: ClientOptions, http?: HttpClient) {
    // A program without types may give anything as a second argument.
    this.#http = http instanceof HttpClient ? http : new HttpClient(createRuntime(resolveOptions(options)));
    this.#options = options;
  }

  /** Buyers' questions, answers, the blacklist, the response time. */
  get questions(): Questions {
    return (this.#questions ??= new Questions(this.#http));
  }

  /** Delivery by the seller: subscriptions, settings, zones, items, drivers. */
  get flex(): Flex {
    return (this.#flex ??= new Flex(this.#http, statusIn(this.items)));
  }

  /** The same over the second generation of paths, which the service documents today. */
  get flexV2(): FlexV2 {
    return (this.#flexV2 ??= new FlexV2(this.#http, statusIn(this.items)));
  }

  /** How often users contacted a seller through classified items. */
  get contacts(): Contacts {
    return (this.#contacts ??= new Contacts(this.#http));
  }

  /** The status of items. */
  get items(): Items {
    return (this.#items ??= new Items(this.#http));
  }

  /** The listings of a site. */
  get sites(): Sites {
    return (this.#sites ??= new Sites(this.#http));
  }

  /** The currencies of prices. */
  get currencies(): Currencies {
    return (this.#currencies ??= new Currencies(this.#http));
  }

  /** The options with which a seller can send the first message to a buyer. */
  get actionGuide(): ActionGuide {
    return (this.#actionGuide ??= new ActionGuide(this.#http));
  }

  /** Conversations with buyers after a sale, and their files. */
  get messages(): Messages {
    return (this.#messages ??= new Messages(this.#http, this.actionGuide));
  }

  /**
   * Calls any endpoint, including endpoints that you define.
   *
   * @example
   * await seller.call(endpoints.questions.answer, { question_id: 42, text: 'Yes.' });
   * @throws {InvalidInputError} when the input does not fit the endpoint; nothing is sent.
   * @throws {ConfigurationError} when a property of the endpoint is missing or wrong; nothing is sent.
   */
  call<
    In,
    Out,
    const Name extends (unknown extends Out
      ? string
      : keyof (Out extends readonly (infer Entry)[] ? Entry : Out) & string),
  >(
    endpoint: Endpoint<In, Out>,
    input: In,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<Out, Name>>;
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out>;
  call<In, Out>(endpoint: Endpoint<In, Out>, input: In, options?: CallOptions): ApiPromise<Out> {
    return callChecked(this.#http, endpoint, input, options);
  }

  /**
   * Calls a path that this package has no method for, e.g. of orders, items or shipments. The fields of the input fill the path; the
   * others become the query of a GET or DELETE, and the JSON body of a POST, PUT or PATCH. A GET is retried like any read; anything
   * else is sent once. Make the schema once, as a constant.
   *
   * @example
   * const order = await seller.request('GET /orders/{order_id}', { order_id: 3000000000000001 });
   * console.log(order); // unknown: with `{ output: schema }`, a schema of zod or any Standard Schema, it is read and typed
   * @throws {InvalidInputError} when a field of the path is missing or cannot be part of it; nothing is sent.
   * @throws {ConfigurationError} when the first argument is no method and path; nothing is sent.
   * @throws {UnexpectedResponseError} when the response does not fit `output`.
   * @throws {ApiError} when the service rejects the call.
   */
  request<const Line extends RequestLine, Out>(
    line: Line,
    input: PathInput<Line>,
    options: RequestOptions<Out> & { readonly output: StandardSchema<Out, unknown> },
  ): ApiPromise<Out>;
  request<const Line extends RequestLine>(line: Line extends `${string}{${string}` ? never : Line): ApiPromise<unknown>;
  request<const Line extends RequestLine>(
    line: Line,
    input: PathInput<Line>,
    options?: CallOptions & { readonly output?: undefined },
  ): ApiPromise<unknown>;
  request(
    line: RequestLine,
    input: object = {},
    { output, ...options }: RequestOptions<unknown> = {},
  ): ApiPromise<unknown> {
    const endpoint = this.#http.requested.of(line, output);
    if (endpoint instanceof Error) return new ApiPromise(Promise.reject(endpoint));
    return this.#http.call(endpoint, input, options);
  }

  /**
   * Reads back whether a write was carried out that was stored before it was sent, e.g. after a restart. It returns what
   * `confirm()` of an error returns. Use the endpoint and the input of the call, and a client of the same user.
   *
   * A write that was sent more than `timeoutMs` ago is read back once, a later one for 3 seconds if it is not found: the service
   * may still be processing it. `confirmWindowMs` replaces that time.
   *
   * @example
   * const input = { question_id, text: 'Yes.' };
   * const sentAt = Date.now(); // store both before the call
   * const { done } = await seller.confirm(endpoints.questions.answer, input, { sentAt });
   * if (done === false) await seller.call(endpoints.questions.answer, input);
   * @throws {InvalidInputError} when the input does not fit the endpoint, or an option is missing or wrong.
   * @throws {ConfigurationError} when a property of the endpoint is missing or wrong.
   * @throws {RequestAbortedError} when the signal aborts.
   * @throws {AccessTokenError} when the function given as `accessToken` fails.
   */
  confirm<In, Out>(
    endpoint: Endpoint<In, Out>,
    input: NoInfer<In>,
    options: SentWriteOptions,
  ): Promise<Confirmation<Out>> {
    return this.#http.confirm(endpoint, input, options) as Promise<Confirmation<Out>>;
  }

  /**
   * Returns the service's description of a resource. Request: OPTIONS /{path*}.
   *
   * @example
   * const { name, methods } = await seller.describe({ path: '/currencies' });
   * console.log(name, methods?.length);
   */
  describe(input: Input<typeof descriptionSchemas.resourcePath>, options?: CallOptions): ApiPromise<Description> {
    return this.#http.call(describe, input, options);
  }

  /**
   * Creates a client with other options, at low cost. This client does not change. Both clients share the rate limiter of
   * their host, whatever their tokens, and the retry budget if base URL and token are the same. An option replaces the
   * one of this client as a whole, also `headers`; `undefined` restores the default.
   *
   * @example
   * const patient = seller.withOptions({ timeoutMs: 60_000, maxRetries: 4 });
   * await patient.questions.get({ question_id });
   */
  withOptions(options: Partial<ClientOptions>): SellerClient {
    const all = { ...this.#options, ...options };
    return derived(all, this.#http.withOptions(resolveOptions(all)));
  }

  /** @internal */
  'marketplace-seller-sdk.inside'(): InsideOfClient {
    return { ...this.#http.inside, withHook: (hook) => derived(this.#options, this.#http.withHook(hook)) };
  }
}

function statusIn(items: Items): ReadItemStatus {
  return async (id, options) => {
    const [found] = await items.status({ ids: [id] }, options);
    return found?.status ?? undefined;
  };
}

/** Outside the class: esbuild renames a class that refers to itself, and logs would show that name. */
function derived(options: ClientOptions, http: HttpClient): SellerClient {
  return new SellerClient(options, http);
}
