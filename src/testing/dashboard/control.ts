import type { Schema } from '../../core/schema/schema.js';
import { readAs } from '../seed/read-as.js';
import type { ServedMarketplace } from './served-marketplace.js';

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
