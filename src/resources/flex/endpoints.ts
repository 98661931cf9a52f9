import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { flexItemEndpoints } from '../flex-items/endpoints.js';
import { hintToFlexV2 } from '../flex-items/errors.js';
import { confirmDelivery, confirmZones } from './confirm.js';
import * as errors from './errors.js';
import { flexReads } from './reads.js';
import * as schemas from './schemas.js';

const setDelivery: DescribedEndpoint<schemas.SetDeliveryParams> = {
  name: 'flex.setDelivery',
  summary: 'Changes the delivery settings of a subscription',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3',
  input: schemas.setDeliveryParams,
  example: {
    site_id: 'MLA',
    user_id: 7,
    service_id: 1001,
    delivery_window: 'same_day',
    delivery_ranges: {
      week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }],
      saturday: [{ from: 10, to: 12, capacity: 5, cutoff: 9 }],
      sunday: [],
    },
  },
  output: unknown,
  retry: 'idempotent',
  errors: [errors.invalidUser, errors.invalidService, errors.invalidJson, errors.deliveryNotUpdated],
  hintAfter: hintToFlexV2,
  confirm: confirmDelivery,
};

const addZones: DescribedEndpoint<schemas.AddZonesParams> = {
  name: 'flex.addZones',
  summary: 'Adds coverage zones to a subscription',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
  input: schemas.addZonesParams,
  example: { site_id: 'MLA', user_id: 7, service_id: 1001, zones: [{ id: 'zone-1' }] },
  output: unknown,
  retry: 'idempotent',
  errors: [errors.invalidUser, errors.invalidService, errors.invalidJson, errors.deliveryNotUpdated],
  hintAfter: hintToFlexV2,
  confirm: confirmZones,
};

/** The endpoints of Flex, as `endpoints` has them. */
export const flexEndpoints = { ...flexReads, setDelivery, addZones, items: flexItemEndpoints };
