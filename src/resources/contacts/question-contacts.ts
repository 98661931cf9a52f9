import type { ApiPromise } from '../../core/api-promise.js';
import type { Reduce } from '../../core/attributes.js';
import type { Caller } from '../../core/caller.js';
import type { CallOptions } from '../../core/options.js';
import * as endpoints from './endpoints.js';
import type { ContactTotal, ContactWindow, ItemPeriod, QuestionItemWindow, UserPeriod, UserWindow } from './schemas.js';

/**
 * Questions of guests, who are not logged in: they reach the seller's e-mail and are only counted here. The questions
 * of logged-in users are at `seller.questions`.
 */
export class QuestionContacts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * How many guest questions there were on an item. Spec: GET /items/{item_id}/contacts/questions.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofItem<const Name extends keyof ContactTotal>(
    input: ItemPeriod,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactTotal, Name>>;
  ofItem(input: ItemPeriod, options?: CallOptions): ApiPromise<ContactTotal>;
  ofItem(input: ItemPeriod, options?: CallOptions): ApiPromise<ContactTotal> {
    return this.#caller.call(endpoints.questionsOfItem, input, options);
  }

  /**
   * How many guest questions there were on all items of a seller. Spec: GET /users/{user_id}/contacts/questions.
   *
   * The answer is not documented: the usual total where it comes, `undefined` where nothing comes.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofUser<const Name extends keyof ContactTotal>(
    input: UserPeriod,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactTotal, Name> | undefined>;
  ofUser(input: UserPeriod, options?: CallOptions): ApiPromise<ContactTotal | undefined>;
  ofUser(input: UserPeriod, options?: CallOptions): ApiPromise<ContactTotal | undefined> {
    return this.#caller.call(endpoints.questionsOfUser, input, options);
  }

  /**
   * How many guest questions there were on an item, day by day or hour by hour.
   * Spec: GET /items/{item_id}/contacts/questions/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfItem<const Name extends keyof ContactWindow>(
    input: QuestionItemWindow,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfItem(input: QuestionItemWindow, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfItem(input: QuestionItemWindow, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.questionWindowOfItem, input, options);
  }

  /**
   * How many guest questions there were on all items of a seller, day by day or hour by hour.
   * Spec: GET /users/{user_id}/contacts/questions/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfUser<const Name extends keyof ContactWindow>(
    input: UserWindow,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfUser(input: UserWindow, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfUser(input: UserWindow, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.questionWindowOfUser, input, options);
  }
}
