import { toLegacy } from '../handlers/message-view.js';
import { chosen } from '../random.js';
import type { JsonObject } from './read-request.js';

type Reshape = (body: JsonObject) => unknown;

/** `{ paging, results }`, as other lists of the service are wrapped. */
function asResults(list: string): Reshape {
  return ({ [list]: results, paging, total, limit, offset = 0, ...rest }) => ({
    ...rest,
    paging: paging ?? { total, limit, offset },
    results,
  });
}

/** The shapes of whole responses, by endpoint, besides the usual one. Wire notes 6 to 9 and 12 to 15. */
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

/** A path of another form, and a reason that no list has yet. Wire notes 12 and 13. */
function withOtherConversationStatus(body: JsonObject): unknown {
  const status = (body.conversation_status ?? {}) as JsonObject;
  const substatus = status.substatus === null ? null : 'blocked_by_a_new_reason';
  return { ...body, conversation_status: { ...status, path: `/v2/conversations${String(status.path)}`, substatus } };
}

/** Whether an endpoint has other shapes. */
export function hasOtherShapes(endpoint: string): boolean {
  return Object.hasOwn(shapes, endpoint);
}

/** Returns a body in another shape; `choice`, from 0 to 1, selects it. */
export function inOtherShape(endpoint: string, body: unknown, choice: number): unknown {
  return chosen(shapes[endpoint] ?? [], choice)?.(body as JsonObject) ?? body;
}

/** The legacy shape of a message that comes in the current one, by itself or in a list `messages`. */
function inLegacyShape(body: JsonObject): unknown {
  const message = (Array.isArray(body.messages) ? body.messages[0] : body) as JsonObject;
  return 'message_date' in message ? toLegacy(message) : body;
}
