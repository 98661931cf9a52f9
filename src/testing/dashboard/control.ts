import type { DocumentedError } from '../../core/operation/documented-error.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import type { Schema } from '../../core/schema/schema.js';
import { readAs } from '../errors.js';
import type { Faults } from '../http/faults.js';
import type { ErrorOverrides } from '../http/handler.js';
import type { ServiceRateLimiter } from '../http/rate-limit.js';
import type { Operations } from '../operations/operations.js';
import type { SeedOf } from '../seed/schema.js';
import type { Stores } from '../state/stores.js';
import type { NotificationService } from '../webhooks/notification-service.js';

/** Changes or reads the marketplace from outside its API, for the dashboard and for tests in any language. */
export interface Control {
  readonly summary: string;
  /** The schema of the body; `undefined` if there is no body. */
  readonly schema: Schema<unknown, unknown> | undefined;
  /** The parameters of the query. */
  readonly query?: readonly string[] | undefined;
  /** Returns what is sent as JSON, or a response. */
  run(marketplace: ServedMarketplace, body: unknown, url: URL): unknown;
}

/** Creates a control that reads its body with a schema. @throws {FakeMarketplaceError} from `run`, when the body is invalid */
export function control<Input>(
  summary: string,
  schema: Schema<Input, unknown>,
  run: (marketplace: ServedMarketplace, input: Input) => unknown,
): Control {
  return { summary, schema, run: (marketplace, body) => run(marketplace, readAs(schema, body)) };
}

/** Creates a control without a body. `query` names the parameters of its query. */
export function bodyless(
  summary: string,
  run: (marketplace: ServedMarketplace, url: URL) => unknown,
  query?: readonly string[],
): Control {
  return { summary, schema: undefined, query, run: (marketplace, _body, url) => run(marketplace, url) };
}

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
