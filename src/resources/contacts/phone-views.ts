import type { ApiPromise } from '../../core/api-promise.js';
import type { WithAttributes } from '../../core/schema/attributes.js';
import type { Requester } from '../../core/endpoint.js';
import type { CallOptions } from '../../core/options/call-options.js';
import * as endpoints from './endpoints.js';
import type {
  ContactTotal,
  ContactWindow,
  ItemPeriodParams,
  ItemWindowParams,
  ItemsWindowParams,
  UserPeriodParams,
  UserWindowParams,
} from './schemas.js';

/** Clicks on "See phone". */
export class PhoneViews {
  readonly #caller: Requester;

  constructor(caller: Requester) {
    this.#caller = caller;
  }

  /**
   * How many clicks on "See phone" there were on an item. Spec: GET /items/{item_id}/contacts/phone_views.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofItem<const Name extends keyof ContactTotal>(
    input: ItemPeriodParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<ContactTotal, Name>>;
  ofItem(input: ItemPeriodParams, options?: CallOptions): ApiPromise<ContactTotal>;
  ofItem(input: ItemPeriodParams, options?: CallOptions): ApiPromise<ContactTotal> {
    return this.#caller.call(endpoints.phoneViewsOfItem, input, options);
  }

  /**
   * How many clicks on "See phone" there were on all items of a seller. Spec: GET /users/{user_id}/contacts/phone_views.
   *
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofUser<const Name extends keyof ContactTotal>(
    input: UserPeriodParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<ContactTotal, Name>>;
  ofUser(input: UserPeriodParams, options?: CallOptions): ApiPromise<ContactTotal>;
  ofUser(input: UserPeriodParams, options?: CallOptions): ApiPromise<ContactTotal> {
    return this.#caller.call(endpoints.phoneViewsOfUser, input, options);
  }

  /**
   * How many clicks on "See phone" there were on an item, day by day or hour by hour.
   * Spec: GET /items/{item_id}/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfItem<const Name extends keyof ContactWindow>(
    input: ItemWindowParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfItem(input: ItemWindowParams, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfItem(input: ItemWindowParams, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.phoneViewWindowOfItem, input, options);
  }

  /**
   * How many clicks on "See phone" there were on each of several items. Spec: GET /items/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `ids` is empty or an id holds a comma; nothing is sent.
   */
  windowOfItems<const Name extends keyof ContactWindow>(
    input: ItemsWindowParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>[]>;
  windowOfItems(input: ItemsWindowParams, options?: CallOptions): ApiPromise<ContactWindow[]>;
  windowOfItems(input: ItemsWindowParams, options?: CallOptions): ApiPromise<ContactWindow[]> {
    return this.#caller.call(endpoints.phoneViewWindowOfItems, input, options);
  }

  /**
   * How many clicks on "See phone" there were on all items of a seller, day by day or hour by hour.
   * Spec: GET /users/{user_id}/contacts/phone_views/time_window.
   *
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfUser<const Name extends keyof ContactWindow>(
    input: UserWindowParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<ContactWindow, Name>>;
  windowOfUser(input: UserWindowParams, options?: CallOptions): ApiPromise<ContactWindow>;
  windowOfUser(input: UserWindowParams, options?: CallOptions): ApiPromise<ContactWindow> {
    return this.#caller.call(endpoints.phoneViewWindowOfUser, input, options);
  }
}
