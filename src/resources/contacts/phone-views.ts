import type { ApiPromise } from '../../core/api-promise.js';
import type { Reduce } from '../../core/attributes.js';
import type { Caller } from '../../core/caller.js';
import type { CallOptions } from '../../core/options.js';
import * as endpoints from './endpoints.js';
import type {
  ContactTotal,
  ContactWindow,
  ItemPeriod,
  ItemWindow,
  ItemsWindow,
  UserPeriod,
  UserWindow,
} from './schemas.js';

/** Clicks on "See phone". */
export class PhoneViews {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * How many clicks on "See phone" there were on an item. Spec: GET /items/{item_id}/contacts/phone_views.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofItem<const Name extends keyof ContactTotal>(
    input: ItemPeriod,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactTotal, Name>>;
  ofItem(input: ItemPeriod, options?: CallOptions): ApiPromise<ContactTotal>;
  ofItem(input: ItemPeriod, options?: CallOptions): ApiPromise<ContactTotal> {
    return this.#caller.call(endpoints.phoneViewsOfItem, input, options);
  }

  /**
   * How many clicks on "See phone" there were on all items of a seller. Spec: GET /users/{user_id}/contacts/phone_views.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofUser<const Name extends keyof ContactTotal>(
    input: UserPeriod,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactTotal, Name>>;
  ofUser(input: UserPeriod, options?: CallOptions): ApiPromise<ContactTotal>;
  ofUser(input: UserPeriod, options?: CallOptions): ApiPromise<ContactTotal> {
    return this.#caller.call(endpoints.phoneViewsOfUser, input, options);
  }

  /**
   * How many clicks on "See phone" there were on an item, day by day or hour by hour.
   * Spec: GET /items/{item_id}/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfItem<const Name extends keyof ContactWindow>(
    input: ItemWindow,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfItem(input: ItemWindow, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfItem(input: ItemWindow, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.phoneViewWindowOfItem, input, options);
  }

  /**
   * How many clicks on "See phone" there were on each of several items. Spec: GET /items/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `ids` is empty or an id holds a comma; nothing is sent.
   */
  windowOfItems<const Name extends keyof ContactWindow>(
    input: ItemsWindow,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>[]>;
  windowOfItems(input: ItemsWindow, options?: CallOptions): ApiPromise<ContactWindow[]>;
  windowOfItems(input: ItemsWindow, options?: CallOptions): ApiPromise<ContactWindow[]> {
    return this.#caller.call(endpoints.phoneViewWindowOfItems, input, options);
  }

  /**
   * How many clicks on "See phone" there were on all items of a seller, day by day or hour by hour.
   * Spec: GET /users/{user_id}/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfUser<const Name extends keyof ContactWindow>(
    input: UserWindow,
    options: CallOptions & Reduce<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfUser(input: UserWindow, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfUser(input: UserWindow, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.phoneViewWindowOfUser, input, options);
  }
}
