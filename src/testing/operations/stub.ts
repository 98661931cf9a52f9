import * as s from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplaceError } from '../errors.js';
import { HandlerResponse, bearerOrThrow } from '../http/handler.js';
import type { EndpointHandler } from '../http/handler.js';
import { from } from '../seed/settings-schema.js';

const path = s.refine(s.string, (value) =>
  /^\/[^?#\s]*$/.test(value) ? undefined : 'a path begins with / and has no query, e.g. "/orders/{order_id}"',
);

/** A fixed response, or several in turn, to the calls of a path. */
export interface Stub {
  /** Names it in faults and filters. @default method and path, e.g. `GET /orders/{order_id}` */
  readonly name?: string | undefined;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, in which `{order_id}` stands for any segment. */
  readonly path: string;
  /** Whether a call needs no token. @default false: without a token, it gets a 401 */
  readonly public?: boolean | undefined;
  /** The status of the response. @default 200 */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The JSON of the response. @default none */
  readonly body?: unknown;
  /** The bodies of the first call, the second one, and so on; the last one stays. */
  readonly bodies?: readonly unknown[] | undefined;
}

/** The schema of a stub. */
export const stub: Schema<Stub> = s.strictObject({
  name: s.optional(s.refine(s.string, (value) => (value.trim() === '' ? 'a name is not empty' : undefined))),
  method: s.enumOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path,
  public: s.optional(s.boolean),
  status: s.optional(from(200, 599)),
  headers: s.optional(s.record),
  body: s.optional(s.unknown),
  bodies: s.optional(s.array(s.unknown)),
});

/** Returns the name of a stub in faults and filters. */
export function nameOfStub({ name, method, path: template }: Stub): string {
  return name ?? `${method} ${template}`;
}

/** Creates the handler of a stub. @throws {FakeMarketplaceError} when no server can send its response */
export function handlerOfStub({ status = 200, headers = {}, body, bodies, public: isPublic }: Stub): EndpointHandler {
  if (body !== undefined && bodies !== undefined)
    throw new FakeMarketplaceError('`body` and `bodies` exclude each other');
  if (bodies?.length === 0) throw new FakeMarketplaceError('`bodies` has at least one entry');
  const all = bodies ?? [body];
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  assertSendable(status, all, texts);
  let calls = 0;
  return (call) => {
    if (!isPublic) bearerOrThrow(call);
    calls += 1;
    return new HandlerResponse(status, all[Math.min(calls, all.length) - 1], texts);
  };
}

/** @throws {FakeMarketplaceError} that names what cannot be sent */
function assertSendable(status: number, bodies: readonly unknown[], headers: Readonly<Record<string, string>>): void {
  const hasBody = bodies.some((body) => body !== undefined);
  if (hasBody && [204, 205, 304].includes(status))
    throw new FakeMarketplaceError(`\`body\`: a response with status ${status} has none`);
  try {
    new Headers(headers);
  } catch {
    throw new FakeMarketplaceError('`headers` are HTTP headers: names and texts');
  }
}
