import { questionHandlers } from '../handlers/questions.js';
import type { Call } from '../http/call.js';
import { bearerOrThrow, forbidden, foundOrThrow } from '../http/handler.js';
import { integer, int64, looseObject } from '../../core/schema/define.js';
import { nothing, reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

/** The older path of the question search: that of the user of the token. */
const search: Neighbour<object> = {
  endpoint: reading('questions.received', '/my/received_questions/search', nothing),
  handle: (call, marketplace) => {
    const query = new URLSearchParams(call.query);
    query.set('seller_id', String(bearerOrThrow(call).user_id));
    // A search reads only the query and the bearer of a call.
    return questionHandlers(marketplace).search({ ...call, query } as unknown as Call);
  },
};

/** How many messages of one conversation are unread; the client reads those of all. */
const unread: Neighbour<{ pack_id: number | string; user_id: number }> = {
  endpoint: {
    ...reading(
      'messages.unreadOf',
      '/messages/unread/packs/{pack_id}/sellers/{user_id}',
      looseObject({ pack_id: int64, user_id: integer }),
    ),
    query: { tag: 'post_sale' },
  },
  handle: (call, { messages, packs }) => {
    const { pack_id, user_id } = call.input;
    if (user_id !== bearerOrThrow(call).user_id) throw forbidden('The conversation is of another seller');
    const pack = packs.get(pack_id);
    foundOrThrow(pack?.seller_id === user_id ? pack : undefined, `The conversation of pack ${pack_id}`);
    const resource = `/packs/${pack_id}/sellers/${user_id}`;
    return { user_id, results: pack ? [{ resource, count: messages.unreadCount(user_id, pack) }] : [] };
  },
};

/** What a seller has received: questions, by an older path, and messages that nobody has read. */
export const received = [search, unread];
