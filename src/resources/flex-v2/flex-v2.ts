import type { Input } from '../../core/schema/schema.js';
import {
  ApiPromise,
  mapped,
  type Attributed,
  type WithAttributes,
  type Requester,
} from '../../core/operation/api-promise.js';
import { isPage } from '../../core/operation/documented-error.js';
import type { ApiError } from '../../core/errors/response-errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/cancel-scope.js';
import { ItemWrites, orMeaning } from '../flex-items/flex-items.js';
import type { FlexInputs, DriverAssignment } from '../flex/schemas.js';
import { flexV2Endpoints } from './endpoints.js';
import { notInFlexError } from './errors.js';
import type {
  FlexV2Inputs,
  FlexDeliveryRanges,
  FlexHolidays,
  FlexRadius,
  FlexSubscriptionV2,
  FlexZones,
} from './schemas.js';
import type { ReadItemStatus, DisableItemParams, EnableItemParams, flexItemSchemas } from '../flex-items/flex-items.js';

/**
 * Delivery by the seller over the second generation of paths, which the service documents today: subscriptions, zones, radius,
 * ranges, holidays, items, drivers, couriers.
 */
export class FlexV2 {
  /** The items that are delivered with Flex. */
  readonly items: FlexItemsV2;
  readonly #requester: Requester;

  /** @internal */
  constructor(requester: Requester, readItemStatus: ReadItemStatus) {
    this.#requester = requester;
    this.items = new FlexItemsV2(requester, readItemStatus);
  }

  /**
   * Returns the seller's subscriptions to Flex and Turbo; none for a seller without Flex, whom the service does not find (404).
   * Request: GET /flex/sites/{site_id}/users/{user_id}/subscriptions/v1.
   *
   * @example
   * const [subscription] = await seller.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 });
   * console.log(subscription?.service_id, subscription?.status, subscription?.configuration?.set?.coverage?.type);
   * @throws {ForbiddenError} when the seller has no Flex, or the token has no permission: the service does not tell which.
   * @throws {NotFoundError} when the response is a page of a website.
   */
  subscriptions<const Name extends keyof FlexSubscriptionV2 = keyof FlexSubscriptionV2>(
    input: FlexInputs['flexUserParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<FlexSubscriptionV2, Name>[]> {
    const call = this.#requester.call(flexV2Endpoints.subscriptions, input, options);
    return orMeaning<Attributed<FlexSubscriptionV2, Name>[]>(
      call,
      ({ status, body }) => status === 404 && !isPage(body),
      [],
    );
  }

  /**
   * Returns the zones to which a subscription delivers. Request:
   * GET /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/coverage/zones/v1.
   *
   * @example
   * const { zones } = await seller.flexV2.zones({ site_id: 'MLA', user_id: 7, service_id: 1001 });
   * console.log(zones?.map(({ id }) => id));
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {BadRequestError} when the subscription has a radius.
   */
  zones(input: FlexV2Inputs['flexAvailablesParams'], options?: CallOptions): ApiPromise<FlexZones> {
    return this.#requester.call(flexV2Endpoints.zones, input, options);
  }

  /**
   * Sets the zones to which a subscription delivers. The list is whole: zones that it leaves out are removed. Request:
   * PUT /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/coverage/zones/v1.
   *
   * Different values of `cutoff` switch the cut-offs by zone on, equal ones switch them off; without any they stay as they are.
   *
   * @example
   * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
   * const { zones } = await seller.flexV2.zones(subscription);
   * await seller.flexV2.setZones({ ...subscription, zones: [...(zones ?? []), { id: 'MLA-2' }] });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when `zones` is empty, a zone has no id, or an hour is not between 0 and 24; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {BadRequestError} when the subscription has a radius.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  setZones(input: FlexV2Inputs['setZonesParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexV2Endpoints.setZones, input, options);
  }

  /**
   * Returns the radius in which a Turbo subscription delivers, in metres. Request:
   * GET /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/coverage/radius/v1.
   *
   * @example
   * const [, turbo] = await seller.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 });
   * if (turbo) console.log(await seller.flexV2.radius({ site_id: 'MLA', user_id: 7, service_id: turbo.service_id }));
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {BadRequestError} when the subscription has zones.
   */
  radius(input: FlexV2Inputs['flexAvailablesParams'], options?: CallOptions): ApiPromise<FlexRadius> {
    return this.#requester.call(flexV2Endpoints.radius, input, options);
  }

  /**
   * Sets the radius in which a Turbo subscription delivers, in metres. Request:
   * PUT /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/coverage/radius/v1.
   *
   * @example
   * const [, turbo] = await seller.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 });
   * const whose = { site_id: 'MLA', user_id: 7 };
   * if (turbo) await seller.flexV2.setRadius({ ...whose, service_id: turbo.service_id, radius: 5000 });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when `radius` is below 1; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {BadRequestError} when the subscription has zones.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  setRadius(input: FlexV2Inputs['setRadiusParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexV2Endpoints.setRadius, input, options);
  }

  /**
   * Returns the delivery window, and the ranges with their capacities and cut-off hours. Request:
   * GET /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/delivery-ranges/v1.
   *
   * @example
   * const found = await seller.flexV2.deliveryRanges({ site_id: 'MLA', user_id: 7, service_id: 1001 });
   * console.log(found.delivery_window, found.delivery_ranges?.week);
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   */
  deliveryRanges(input: FlexV2Inputs['flexAvailablesParams'], options?: CallOptions): ApiPromise<FlexDeliveryRanges> {
    return this.#requester.call(flexV2Endpoints.deliveryRanges, input, options);
  }

  /**
   * Sets the delivery window and the ranges. They are sent whole: a range or a kind of day that is left out is switched off.
   * `deliverySettings` makes the input from what was read. Request:
   * PUT /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/delivery-ranges/v1.
   *
   * `same_day` needs a `cutoff` in each range, unless zones have their own: then there must be none.
   *
   * @example
   * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
   * await seller.flexV2.setDeliveryRanges({
   *   ...subscription,
   *   delivery_window: 'same_day',
   *   delivery_ranges: { week: [{ from: 9, to: 18, capacity: 120, cutoff: 13 }] },
   * });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when an hour is not between 0 and 24, or a capacity is below 1; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {UnprocessableEntityError} when an extended delivery range is active.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  setDeliveryRanges(input: FlexV2Inputs['setDeliveryRangesParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexV2Endpoints.setDeliveryRanges, input, options);
  }

  /**
   * Returns the holidays of the site, and which are selected. Request:
   * GET /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/holidays/v1.
   *
   * @example
   * const { holidays } = await seller.flexV2.holidays({ site_id: 'MLA', user_id: 7, service_id: 1001 });
   * console.log(holidays?.filter(({ selected }) => selected).map(({ date }) => date));
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   */
  holidays(input: FlexV2Inputs['flexServiceParams'], options?: CallOptions): ApiPromise<FlexHolidays> {
    return this.#requester.call(flexV2Endpoints.holidays, input, options);
  }

  /**
   * Selects holidays, or no longer. Send the whole list as it was read: whether others stay selected is not documented. Request:
   * PUT /flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations/holidays/v1.
   *
   * @example
   * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
   * const { holidays } = await seller.flexV2.holidays(subscription);
   * const known = (holidays ?? []).map((each) => ({ ...each, selected: each.selected === true }));
   * if (known.length > 0) await seller.flexV2.setHolidays({ ...subscription, holidays: known });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when `holidays` is empty, or a date is no day; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  setHolidays(input: FlexV2Inputs['setHolidaysParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexV2Endpoints.setHolidays, input, options);
  }

  /**
   * Returns the driver of a shipment. Request: GET /flex/sites/{site_id}/shipments/{shipment_id}/assignment/v2.
   *
   * @example
   * const { driver_id } = await seller.flexV2.driver({ site_id: 'MLA', shipment_id: 40_000_000_001 });
   * console.log(driver_id);
   * @throws {DriverNotFoundError} when no driver is assigned, no route is open, or the shipment does not exist.
   */
  driver<const Name extends keyof DriverAssignment = keyof DriverAssignment>(
    input: FlexInputs['driverParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<DriverAssignment, Name>> {
    return this.#requester.call(flexV2Endpoints.driver, input, options);
  }

  /**
   * Assigns a shipment to the courier who delivers it, when the courier begins. The token is that of the courier's own account.
   * Request: POST /flex/sites/{site_id}/users/{courier_id}/courier-shipment/v1.
   *
   * @example
   * await seller.flexV2.assignCourier({ site_id: 'MLA', courier_id: 345, shipment_id: 40_000_000_001 });
   * @returns the response body, which is not documented.
   * @throws {ShipmentTakenError} when the shipment has a courier: another one, or this one after an earlier call.
   * @throws {ForbiddenError} when the courier has not authorised the application, or is not linked to the seller.
   * @throws {NotFoundError} when the shipment does not exist.
   * @throws {ServerError} when the service failed. `outcomeUnknown` states whether it may have been assigned anyway.
   * @throws {OutcomeUnknownError} when the response was lost. No operation reads it back: ask the courier.
   */
  assignCourier(input: FlexV2Inputs['assignCourierParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexV2Endpoints.assignCourier, input, options);
  }
}

/** The items that are delivered with Flex, over the second generation of paths. */
export class FlexItemsV2 {
  readonly #requester: Requester;
  readonly #writes: ItemWrites;

  /** @internal */
  constructor(requester: Requester, readStatus: ReadItemStatus) {
    this.#requester = requester;
    this.#writes = new ItemWrites(requester, readStatus);
  }

  /**
   * Returns whether an item is in Flex. Request: GET /flex/sites/{site_id}/items/{item_id}/v2.
   *
   * @example
   * console.log(await seller.flexV2.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' }));
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {ItemNotFoundError} when the item does not exist, or its country has no Flex.
   */
  isEnabled(input: Input<typeof flexItemSchemas.flexItemParams>, options?: CallOptions): ApiPromise<boolean> {
    return mapped(this.#requester.call(flexV2Endpoints.items.isEnabled, input, options), ({ has_flex }) => has_flex);
  }

  /**
   * Puts an item into Flex. It changes the shipping of some items for good, so do it only when the seller wants it; new items are
   * often in Flex already. `requireActive: true` checks first that the item is active.
   * Request: POST /flex/sites/{site_id}/items/{item_id}/v2.
   *
   * @example
   * await seller.flexV2.items.enable({ site_id: 'MLA', item_id: 'MLA100', requireActive: true, idempotent: true });
   * @throws {InvalidInputError} when `requireActive` is given and the item is not active; the item is not changed.
   * @throws {AlreadyInFlexError} when the item is already in Flex, unless `idempotent: true`.
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {ItemNotFoundError} when the item does not exist, or its country has no Flex.
   * @throws {ItemLockedError} when other changes of the item go on, also at the last retry.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  enable(input: EnableItemParams, options?: CallOptions): ApiPromise<undefined> {
    return this.#writes.enable(flexV2Endpoints.items.enable, input, options);
  }

  /**
   * Takes an item out of Flex. After a 400 or a 403 it reads whether the item is in Flex, because the service does not document
   * what it says of one that is not. Request: DELETE /flex/sites/{site_id}/items/{item_id}/v2.
   *
   * @example
   * await seller.flexV2.items.disable({ site_id: 'MLA', item_id: 'MLA100', idempotent: true });
   * @throws {NotInFlexError} when the item is not in Flex, unless `idempotent: true`.
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {ItemNotFoundError} when the item does not exist, or its country has no Flex.
   * @throws {ItemLockedError} when other changes of the item go on, also at the last retry.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  disable(input: DisableItemParams, options?: CallOptions): ApiPromise<undefined> {
    const { idempotent, ...item } = { ...input };
    const deadline = new Deadline('items.disable()', options?.deadlineMs ?? this.#requester.deadlineMs);
    const isOut = (): Promise<boolean> =>
      deadline
        .within({ ...options }, (limited) => this.isEnabled(item, limited))
        .then(
          (isIn) => !isIn,
          // What rejected the change rejects the reading too.
          () => false,
        );
    const isDone = async (error: ApiError): Promise<boolean> => {
      if ((error.status !== 400 && error.status !== 403) || !(await isOut())) return false;
      if (idempotent === true || error.outcomeUnknown) return true;
      throw notInFlexError(error);
    };
    const disable = (limited: CallOptions) =>
      this.#writes.change(flexV2Endpoints.items.disable, input, limited, () => false).withResponse();
    return orMeaning(new ApiPromise(deadline.within({ ...options }, disable)), isDone, undefined);
  }
}
