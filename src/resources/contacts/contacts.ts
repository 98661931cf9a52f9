import type { ApiPromise, Attributed, Requester, WithAttributes } from '../../core/operation/api-promise.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { contactEndpoints } from './endpoints.js';
import type { ContactInputs, ContactTotal, ContactWindow } from './schemas.js';

/** How often users contacted a seller through classified items. Read only. */
export class Contacts {
  /** Questions from guests. */
  readonly questions: QuestionContacts;
  /** Clicks on "See phone". */
  readonly phoneViews: PhoneViews;

  constructor(requester: Requester) {
    this.questions = new QuestionContacts(requester);
    this.phoneViews = new PhoneViews(requester);
  }
}

/** Clicks on "See phone". */
export class PhoneViews {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns how many clicks on "See phone" an item had. Request: GET /items/{item_id}/contacts/phone_views.
   *
   * @example
   * const { total } = await seller.contacts.phoneViews.ofItem({
   *   item_id: 'MLA100',
   *   date_from: '2026-02-01T00:00:00Z',
   *   date_to: '2026-02-28T23:59:59Z',
   * });
   * console.log(total);
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofItem<const Name extends keyof ContactTotal = keyof ContactTotal>(
    input: ContactInputs['itemPeriodParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactTotal, Name>> {
    return this.#requester.call(contactEndpoints.phoneViews.ofItem, input, options);
  }

  /**
   * Returns how many clicks on "See phone" all items of a seller had. Request: GET /users/{user_id}/contacts/phone_views.
   *
   * @example
   * const { total } = await seller.contacts.phoneViews.ofUser({
   *   user_id: 7,
   *   date_from: '2026-02-01T00:00:00Z',
   *   date_to: '2026-02-28T23:59:59Z',
   * });
   * console.log(total);
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofUser<const Name extends keyof ContactTotal = keyof ContactTotal>(
    input: ContactInputs['userPeriodParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactTotal, Name>> {
    return this.#requester.call(contactEndpoints.phoneViews.ofUser, input, options);
  }

  /**
   * Returns how many clicks on "See phone" an item had, per day or per hour.
   * Request: GET /items/{item_id}/contacts/phone_views/time_window.
   *
   * @example
   * const { results } = await seller.contacts.phoneViews.windowOfItem({ item_id: 'MLA100', last: 7, unit: 'day' });
   * for (const { date, total } of results ?? []) console.log(date, total);
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfItem<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['itemWindowParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name>> {
    return this.#requester.call(contactEndpoints.phoneViews.windowOfItem, input, options);
  }

  /**
   * Returns how many clicks on "See phone" each of several items had.
   * Request: GET /items/contacts/phone_views/time_window.
   *
   * @example
   * const windows = await seller.contacts.phoneViews.windowOfItems({ ids: ['MLA100'], last: 7, unit: 'day' });
   * for (const { item_id, total } of windows) console.log(item_id, total);
   * @throws {InvalidInputError} when `ids` is empty or an id contains a comma; nothing is sent.
   */
  windowOfItems<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['itemsWindowParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name>[]> {
    return this.#requester.call(contactEndpoints.phoneViews.windowOfItems, input, options);
  }

  /**
   * Returns how many clicks on "See phone" all items of a seller had, per day or per hour.
   * Request: GET /users/{user_id}/contacts/phone_views/time_window.
   *
   * @example
   * const { results } = await seller.contacts.phoneViews.windowOfUser({ user_id: 7, last: 24, unit: 'hour' });
   * for (const { date, total } of results ?? []) console.log(date, total);
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfUser<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['userWindowParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name>> {
    return this.#requester.call(contactEndpoints.phoneViews.windowOfUser, input, options);
  }
}

/**
 * Questions from guests, who are not logged in. The seller receives them by e-mail; this resource only counts them. The
 * questions of logged-in users are at `seller.questions`.
 */
export class QuestionContacts {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns how many guest questions an item had. Request: GET /items/{item_id}/contacts/questions.
   *
   * @example
   * const { total } = await seller.contacts.questions.ofItem({
   *   item_id: 'MLA100',
   *   date_from: '2026-02-01T00:00:00Z',
   *   date_to: '2026-02-28T23:59:59Z',
   * });
   * console.log(total);
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofItem<const Name extends keyof ContactTotal = keyof ContactTotal>(
    input: ContactInputs['itemPeriodParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactTotal, Name>> {
    return this.#requester.call(contactEndpoints.questions.ofItem, input, options);
  }

  /**
   * Returns how many guest questions all items of a seller had. Request: GET /users/{user_id}/contacts/questions.
   *
   * The response is not documented. The result is `undefined` if the response body is empty.
   *
   * @example
   * const contacts = await seller.contacts.questions.ofUser({
   *   user_id: 7,
   *   date_from: '2026-02-01T00:00:00Z',
   *   date_to: '2026-02-28T23:59:59Z',
   * });
   * console.log(contacts?.total);
   * @throws {InvalidInputError} when `date_to` is before `date_from`; nothing is sent.
   */
  ofUser<const Name extends keyof ContactTotal = keyof ContactTotal>(
    input: ContactInputs['userPeriodParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactTotal, Name> | undefined> {
    return this.#requester.call(contactEndpoints.questions.ofUser, input, options);
  }

  /**
   * Returns how many guest questions an item had, per day or per hour. With `ids`, the service may respond with one
   * window or with one for each item.
   * Request: GET /items/{item_id}/contacts/questions/time_window.
   *
   * @example
   * const { results } = await seller.contacts.questions.windowOfItem({ item_id: 'MLA100', last: 7, unit: 'day' });
   * for (const { date, total } of results ?? []) console.log(date, total);
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfItem<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['questionItemWindowParams'] & { readonly ids?: undefined },
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name>>;
  windowOfItem<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['questionItemWindowParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name> | Attributed<ContactWindow, Name>[]>;
  windowOfItem(
    input: ContactInputs['questionItemWindowParams'],
    options?: CallOptions,
  ): ApiPromise<ContactWindow | ContactWindow[]> {
    return this.#requester.call(contactEndpoints.questions.windowOfItem, input, options);
  }

  /**
   * Returns how many guest questions all items of a seller had, per day or per hour.
   * Request: GET /users/{user_id}/contacts/questions/time_window.
   *
   * @example
   * const { results } = await seller.contacts.questions.windowOfUser({ user_id: 7, last: 24, unit: 'hour' });
   * for (const { date, total } of results ?? []) console.log(date, total);
   * @throws {InvalidInputError} when `last` is below 1, or `unit` is neither `day` nor `hour`; nothing is sent.
   */
  windowOfUser<const Name extends keyof ContactWindow = keyof ContactWindow>(
    input: ContactInputs['userWindowParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<ContactWindow, Name>> {
    return this.#requester.call(contactEndpoints.questions.windowOfUser, input, options);
  }
}
