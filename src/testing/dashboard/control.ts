import type { DocumentedError } from '../../core/operation/documented-error.js';
import { fieldsOf, type Endpoint } from '../../core/operation/endpoint.js';
import type { Schema } from '../../core/schema/schema.js';
import { printedSchema } from '../../tools/portable-schema.js';
import { readAs } from '../errors.js';
import type { Faults } from '../http/faults.js';
import type { ErrorOverrides } from '../http/handler.js';
import type { ServiceRateLimiter } from '../http/rate-limit.js';
import type { Operations, OperationSummary } from '../operations/operations.js';
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

type Json = Readonly<Record<string, unknown>>;

/** Describes the control endpoints as an OpenAPI 3.1 document. */
export function describeControls(controls: Readonly<Record<string, Control>>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [line, control] of Object.entries(controls)) {
    const [method = '', path = ''] = line.split(' ');
    const isOpen = path === '/__fake/health';
    const operation = { ...toOperation(line, control), ...(isOpen && { security: [] }) };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Control endpoints of the fake marketplace', version: '1' },
    components: { securitySchemes: { controlToken: { type: 'apiKey', in: 'header', name: 'x-fake-token' } } },
    security: [{ controlToken: [] }],
    paths,
  };
}

/** `POST /__fake/flex-items` is `postFlexItems`. */
function operationId(line: string): string {
  const words = line.toLowerCase().replace('/__fake/', '').split(/\W+/);
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}

function content(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

function toOperation(line: string, { summary, schema, query }: Control): Json {
  const done = controlResponses[line] ?? { type: 'object' };
  const isStream = line === 'GET /__fake/events';
  return {
    operationId: operationId(line),
    summary,
    ...(query && { parameters: query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })) }),
    ...(schema && { requestBody: { required: true, ...content(printedSchema(schema)) } }),
    responses: {
      200: { description: 'Done', ...(isStream ? { content: { 'text/event-stream': {} } } : content(done)) },
      400: { description: 'The body is invalid; `message` says why', ...content(controlError) },
      403: { description: 'The control token is missing or wrong', ...content(controlError) },
    },
  };
}

type ResponseSchema = Readonly<Record<string, unknown>>;

const text: ResponseSchema = { type: 'string' };
const integer: ResponseSchema = { type: 'integer' };
const boolean: ResponseSchema = { type: 'boolean' };
const number: ResponseSchema = { type: 'number' };
const list = (items: ResponseSchema = {}): ResponseSchema => ({ type: 'array', items });
const orNull = ({ type, ...rest }: ResponseSchema): ResponseSchema => ({ ...rest, type: [type, 'null'] });
const record = (of: ResponseSchema): ResponseSchema => ({ type: 'object', additionalProperties: of });

/** An object with these fields; those in `optional` may be missing. */
function object(
  properties: Readonly<Record<string, ResponseSchema | undefined>>,
  optional: readonly string[] = [],
): ResponseSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const file = object({ part: text, filename: text, type: text, size: integer, sha256: text });
const request = object({
  id: integer,
  at: integer,
  method: text,
  path: text,
  endpoint: orNull({ type: 'string' }),
  user_id: orNull({ type: 'integer' }),
  nickname: orNull({ type: 'string' }),
  state: { type: 'string', enum: ['open', 'done', 'broken'] },
  brokenAt: orNull({ type: 'string' }),
  status: orNull({ type: 'integer' }),
  ms: number,
  fault: orNull({ type: 'string' }),
  rule: orNull({ type: 'string' }),
  requestHeaders: record({ type: 'string' }),
  requestBody: orNull({ type: 'string' }),
  files: orNull(list(file)),
  responseHeaders: orNull(record({ type: 'string' })),
  responseBody: orNull({ type: 'string' }),
});
const delivery = {
  id: text,
  event: object({ topic: text, resource: text, user_id: integer }),
  application_id: integer,
  subscription: integer,
  attempt: integer,
  at: text,
  request: integer,
  body: record({}),
};
const subscription = object({
  id: integer,
  application_id: integer,
  callback: orNull({ type: 'string' }),
  topics: list({ type: 'string' }),
});
const clock = object({ now: text, running: boolean });
const user = object({ user_id: integer, nickname: text, site_id: text, token: orNull({ type: 'string' }) });
const limit = object({ perSecond: integer, perMinute: integer, per: text, retryAfter: boolean }, [
  'perSecond',
  'perMinute',
  'per',
  'retryAfter',
]);

/** The responses of the control endpoints; `{}` for the others. */
const controlResponses: Readonly<Record<string, ResponseSchema>> = {
  'GET /__fake/health': object({ status: text }),
  'GET /__fake/requests': object({ count: integer, requests: list(request) }),
  'GET /__fake/state': object({
    now: text,
    clockIsStopped: boolean,
    users: list(user),
    ...Object.fromEntries(
      [
        'items',
        'questions',
        'conversations',
        'subscriptions',
        'shipments',
        'callbacks',
        'attempts',
        'scheduled',
        'faults',
        'blacklist',
        'files',
        'requests',
      ].map((name) => [name, list(record({}))]),
    ),
    counts: record(integer),
    isHeld: boolean,
    storage: object({ filesBroken: boolean, messagesUnavailable: boolean }),
    moderation: object({ mode: text, pending: integer }),
    settings: record({}),
    limit: orNull(limit),
    topics: list({ type: 'string' }),
    endpoints: list({ type: 'string' }),
  }),
  'GET /__fake/search': object({ count: integer, entries: list(record({})) }),
  'GET /__fake/openapi.json': record({}),
  'GET /__fake/marketplace-openapi.json': record({}),
  'POST /__fake/seed': object({ users: list(user) }),
  'POST /__fake/questions': object({ id: integer }),
  'POST /__fake/packs': object({ pack: integer }),
  'POST /__fake/moderation': object({ moderated: integer }),
  'POST /__fake/shipments': object({ shipment_id: integer }),
  'GET /__fake/clock': clock,
  'POST /__fake/clock': clock,
  'POST /__fake/tokens': object({ token: text }),
  'POST /__fake/authorization-codes': object({ code: text }),
  'GET /__fake/settings': object({ settings: record({}), limit: orNull(limit) }),
  'GET /__fake/notifications': object({
    isHeld: boolean,
    attempts: list(object({ ...delivery, outcome: { type: ['integer', 'string'] } }, ['request'])),
    scheduled: list(object({ ...delivery, isHeld: boolean }, ['request'])),
    subscriptions: list(subscription),
  }),
  'POST /__fake/notifications': object({ id: integer }),
  'POST /__fake/flush': object({ attempts: integer }),
  'POST /__fake/deliveries': object({ attempts: integer }),
  'POST /__fake/sent-notifications': object({ ids: list({ type: 'string' }) }),
};

/** The response of a call that is not valid. */
const controlError: ResponseSchema = object({ message: text });

type PathItems = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Returns the OpenAPI document of the marketplace, with the address of this server and the operations of your own. */
export async function marketplaceOpenApi(url: string, own: readonly OperationSummary[]): Promise<object> {
  // The file of the package, because a copy in the code would double the size of the fake marketplace.
  // oxlint-disable-next-line no-restricted-imports -- a file beside the code: it is not bundled
  const { default: document } = await import('marketplace-seller-sdk/openapi.json', { with: { type: 'json' } });
  const paths: Record<string, object> = { ...document.paths };
  for (const [path, item] of Object.entries(pathsOf(own))) paths[path] = { ...paths[path], ...item };
  return { ...document, paths, servers: [{ url }] };
}

/** Only paths: the schemas of an operation of your own may be of another library. */
function pathsOf(own: readonly OperationSummary[]): PathItems {
  const byPath = Map.groupBy(own, ({ path }) => path.replaceAll('*}', '}'));
  const items = Array.from(byPath, ([path, operations]) => {
    const methods = operations.map(({ name, method }) => [method.toLowerCase(), describe(name, path)] as const);
    return [path, Object.fromEntries(methods)] as const;
  });
  return Object.fromEntries(items);
}

function describe(name: string, path: string): object {
  const parameters = fieldsOf(path).map((field) => ({
    name: field,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const operationId = name.replace(/\W+/g, '_').replace(/^_|_$/g, '');
  return { operationId, summary: name, parameters, responses: { default: { description: 'The response' } } };
}
