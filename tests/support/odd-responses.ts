import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { isObject } from '../../src/core/json/json.js';
import type { Endpoint } from '../../src/core/operation/endpoint.js';
import { toLegacy } from '../../src/testing/handlers/message-view.js';
import { chosen, createRandom } from '../../src/testing/random.js';

// Responses as the live service was seen to stray from its specification.

/** The kinds of odd responses. Each is named after what the live service was seen to do. */
export const oddKinds = [
  'unknown-fields',
  'nulls',
  'absent',
  'text-ids',
  'letter-case',
  'timestamps',
  'shape',
  'status',
  'error-keys',
  'error-text',
] as const;

export type OddKind = (typeof oddKinds)[number];

/** Which responses are odd. */
export interface OddShare {
  /** The share of responses, from 0 to 1. @default 1 */
  readonly share?: number;
  /** @default 1 */
  readonly seed?: number;
  /** @default every kind that fits the response */
  readonly kinds?: readonly OddKind[] | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** A response whose body is read. */
interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON value of the body; `undefined` for a body of another type, or none. */
  readonly body: unknown;
}

/** Returns the `fetch` of a marketplace with a share of its responses odd; a file stays as it is. */
export function oddFetch(marketplace: FakeMarketplace, odd: OddShare): FakeMarketplace['fetch'] {
  const random = createRandom(odd.seed ?? 1);
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    const response = await marketplace.fetch(request);
    const endpoint = marketplace.operations.routes.of(request.method, new URL(request.url).pathname);
    if (endpoint === undefined) return response;
    const read = await toRead(response);
    const fitting = kindsOf(endpoint, read).filter((kind) => odd.kinds?.includes(kind) ?? true);
    const [isOdd, which, choice] = [random() < (odd.share ?? 1), random(), random()];
    const kind = chosen(fitting, which);
    return isOdd && kind ? toOdd(kind, read, endpoint.name, choice) : response;
  };
}

async function toRead(response: Response): Promise<ReadResponse> {
  const { status, headers } = response;
  const isJson = headers.get('content-type') === 'application/json';
  const text = isJson ? await response.clone().text() : '';
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Returns the kinds that a response can have. */
function kindsOf(endpoint: Endpoint, { status, body }: ReadResponse): OddKind[] {
  if (status >= 400) return ['unknown-fields', 'error-keys', 'error-text'];
  const isJson = typeof body === 'object' && body !== null;
  const possible: Partial<Record<OddKind, boolean>> = {
    shape: isJson && hasOtherShapes(endpoint.name),
    status: hasOtherStatuses(endpoint),
    'error-keys': false,
    'error-text': false,
  };
  return oddKinds.filter((kind) => possible[kind] ?? isJson);
}

function toOdd(kind: OddKind, read: ReadResponse, endpoint: string, choice: number): Response {
  const { status, headers } = read;
  if (kind === 'status') return withOtherStatus(endpoint, read, choice);
  if (kind === 'error-text') return textOfError(read, choice);
  const body = bodies[kind](read.body, { endpoint, choice });
  return new Response(JSON.stringify(body), { status, headers });
}

/** What a change of a body may depend on. `choice`, from 0 to 1, selects one of several. */
interface OddContext {
  readonly endpoint: string;
  readonly choice: number;
}

/** The kinds that change only the body. */
const bodies: Readonly<Record<Exclude<OddKind, 'status' | 'error-text'>, (body: unknown, on: OddContext) => unknown>> =
  {
    'unknown-fields': (body) =>
      mapObjects(body, (fields) => ({ ...fields, new_field: { since: 2030, list: [1, null], text: null } })),
    nulls: (body) => mapAllFields(body, (name, value) => (isOptional(name, value) ? null : value)),
    absent: (body) =>
      mapObjects(body, (fields) =>
        Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isOptional(name, value))),
      ),
    'text-ids': (body) =>
      mapAllFields(body, (name, value) =>
        /(^|_)id$|^last$/.test(name) && Number.isInteger(value) ? String(value) : value,
      ),
    'letter-case': (body) =>
      mapAllFields(body, (name, value) =>
        typeof value === 'string' && enumerated.has(name) ? inOtherCase(value) : value,
      ),
    timestamps: (body) => mapAllFields(body, (_, value) => (isTimestamp(value) ? inOtherForm(value) : value)),
    shape: (body, { endpoint, choice }) => chosen(shapes[endpoint] ?? [], choice)?.(body as JsonObject) ?? body,
    'error-keys': (body, { choice }) => chosen(errorBodies, choice)?.(body ?? {}) ?? body,
  };

const optionalObjects = new Set(['answer', 'to', 'weekend', 'weekdays_working_hours', 'weekdays_extra_hours']);
/** Lists without which their response has no sense. */
const neededLists = new Set(['questions', 'messages', 'users', 'options', 'results', 'zones', 'body']);

function isOptional(name: string, value: unknown): boolean {
  return (Array.isArray(value) && !neededLists.has(name)) || optionalObjects.has(name);
}

const enumerated = new Set(['status', 'mode', 'type', 'coverage', 'delivery', 'reason']);

function inOtherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
}

/** The same moment with nine decimals and an offset without a colon. */
function inOtherForm(timestamp: string): string {
  const local = new Date(Date.parse(timestamp) - 4 * 3_600_000).toISOString();
  return local.replace('Z', '000000-0400');
}

/** Applies a function to every object of a JSON value, the inner ones first. */
function mapObjects(value: unknown, change: (fields: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change));
  return isObject(value) ? change(mapFields(value, (_, field) => mapObjects(field, change))) : value;
}

/** Applies a function to every field of every object of a JSON value. */
function mapAllFields(body: unknown, change: (name: string, value: unknown) => unknown): unknown {
  return mapObjects(body, (fields) => mapFields(fields, change));
}

function mapFields(fields: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}

type Reshape = (body: JsonObject) => unknown;

/** `{ paging, results }`, as other lists of the service are wrapped. */
function asResults(list: string): Reshape {
  return ({ [list]: results, paging, total, limit, offset = 0, ...rest }) => ({
    ...rest,
    paging: paging ?? { total, limit, offset },
    results,
  });
}

/** The shapes of whole responses, by endpoint, besides the usual one. */
const shapes: Readonly<Record<string, readonly Reshape[]>> = {
  'questions.search': [asResults('questions'), ({ questions }) => questions, (body) => ({ ...body, total: 999_999 })],
  'questions.get': [({ from, ...rest }) => ({ ...rest, buyer_id: (from as JsonObject | null)?.id })],
  'questions.ask': [({ from, ...rest }) => ({ ...rest, buyer_id: (from as JsonObject | null)?.id })],
  'questions.blacklist.list': [asResults('users'), ({ users }) => users],
  'messages.conversation': [asResults('messages'), (body) => ({ ...body, paging: null }), withOtherConversationStatus],
  'sites.search': [(body) => ({ ...body, paging: null })],
  'actionGuide.options': [({ options }) => ({ options, total: 1 })],
  'flex.configuration': [({ configuration }) => ({ data: { configuration } })],
  'flex.subscriptions': [(body) => (body as unknown as readonly JsonObject[]).map(({ id: _, ...rest }) => rest)],
  'items.status': [
    (body) => (body as unknown as readonly JsonObject[]).map((each) => ('body' in each ? each.body : each)),
  ],
  'messages.get': [
    inLegacyShape,
    ({ messages, ...rest }) => (Array.isArray(messages) ? (messages[0] as unknown) : rest),
  ],
};

/** Whether an endpoint has other shapes. */
export function hasOtherShapes(endpoint: string): boolean {
  return Object.hasOwn(shapes, endpoint);
}

/** A path of another form, and a reason that no list has yet. */
function withOtherConversationStatus(body: JsonObject): unknown {
  const status = (body.conversation_status ?? {}) as JsonObject;
  const substatus = status.substatus === null ? null : 'blocked_by_a_new_reason';
  return { ...body, conversation_status: { ...status, path: `/v2/conversations${String(status.path)}`, substatus } };
}

/** The legacy shape of a message that comes in the current one, by itself or in a list `messages`. */
function inLegacyShape(body: JsonObject): unknown {
  const message = (Array.isArray(body.messages) ? body.messages[0] : body) as JsonObject;
  return 'message_date' in message ? toLegacy(message) : body;
}

/** Writes whose response has a documented body, which stays. */
const documentedBodies = new Set(['messages.upload', 'questions.delete', 'actionGuide.send']);

/** Whether the success of an endpoint has several statuses: that of a write. */
export function hasOtherStatuses({ method, retry }: Endpoint): boolean {
  return method !== 'GET' && retry !== 'safe';
}

/** Returns a success with another status, with or without its body. */
function withOtherStatus(endpoint: string, { status, headers, text }: ReadResponse, choice: number): Response {
  const swapped = new Response(text === '' ? null : text, { status: status === 200 ? 201 : 200, headers });
  if (documentedBodies.has(endpoint)) return swapped;
  const empty = [200, 201, 204].map((each) => new Response(null, { status: each, headers }));
  return chosen([swapped, ...empty], choice) ?? swapped;
}

/** The fields of the documented error body. */
interface ErrorBody {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
}

/** The JSON bodies of errors, with other names for the fields. */
const errorBodies: readonly ((body: ErrorBody) => object)[] = [
  ({ message, error, ...rest }) => ({ ...rest, message: error, error: message }),
  ({ message, error }) => ({ code: error, message }),
  ({ message, error, status }) => ({ status, error, code: error, detail: message }),
  ({ message, error, status, cause }) => ({ status_code: status, code: error, message, cause }),
  ({ message, error }) => ({ error, error_description: message }),
  ({ cause, ...rest }) => ({ ...rest, cause: null, causes: cause }),
  ({ cause, ...rest }) => ({ ...rest, cause: toCauseObjects(cause) }),
];

function toCauseObjects(cause: unknown): object[] {
  const list: unknown[] = Array.isArray(cause) ? cause : cause === undefined || cause === null ? [] : [cause];
  return list.map((each, index) => ({ cause_id: index + 1, type: 'error', code: String(each), message: String(each) }));
}

/** Returns what stands in front of a service: a page, a line of text, or nothing. */
function textOfError({ status, headers }: ReadResponse, choice: number): Response {
  const html = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>`;
  const texts = [
    [html, 'text/html; charset=utf-8'],
    [`error ${status}`, 'text/plain'],
    ['', 'text/plain'],
  ] as const;
  const [text, type] = chosen(texts, choice) ?? ['', 'text/plain'];
  const changed = new Headers(headers);
  changed.set('content-type', type);
  return new Response(text, { status, headers: changed });
}
