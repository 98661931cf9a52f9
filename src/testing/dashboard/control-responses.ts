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
export const controlResponses: Readonly<Record<string, ResponseSchema>> = {
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
export const controlError: ResponseSchema = object({ message: text });
