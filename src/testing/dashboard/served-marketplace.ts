import type { Endpoint } from '../../core/operation/endpoint.js';
import type { DocumentedError } from '../../core/operation/documented-error.js';
import type { ErrorOverrides } from '../http/handler.js';
import type { Faults } from '../http/faults.js';
import type { ServiceRateLimiter } from '../http/rate-limit.js';
import type { Operations } from '../operations/operations.js';
import type { SeedOf } from '../seed/schema.js';
import type { Stores } from '../state/stores.js';
import type { NotificationService } from '../webhooks/notification-service.js';

/** The part of `FakeMarketplace` that the dashboard needs. The class itself must not be imported here. */
export interface ServedMarketplace extends Stores {
  readonly faults: Faults;
  readonly notifications: NotificationService;
  readonly operations: Operations;
  readonly rateLimiter: ServiceRateLimiter;
  failNext(endpoint: Pick<Endpoint, 'name'>, error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides): void;
  fetch(request: Request): Promise<Response>;
  seed(seed: SeedOf): void;
}
