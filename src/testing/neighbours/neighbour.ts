import type { Endpoint } from '../../core/operation/endpoint.js';
import { looseObject, unknown } from '../../core/schema/define.js';
import type { Operation } from '../operations/operation.js';
import type { Stores } from '../state/stores.js';
import type { NotificationService } from '../webhooks/notification-service.js';

/** The part of `FakeMarketplace` that these operations read. The class itself must not be imported here. */
export interface ReadMarketplace extends Stores {
  readonly notifications: NotificationService;
}

/** An operation outside of the specification, which programs call beside it. It only reads. */
export type Neighbour<In> = Operation<In, ReadMarketplace>;

/** Input without fields of its own. */
export const nothing = looseObject({});

/** Describes the endpoint of such an operation. */
export function reading<In>(name: string, path: `/${string}`, input: Endpoint<In>['input']): Endpoint<In> {
  return { name, method: 'GET', path, input, output: unknown, retry: 'safe', errors: [] };
}
