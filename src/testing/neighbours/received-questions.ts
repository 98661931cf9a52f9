import { questionHandlers } from '../handlers/questions.js';
import type { Call } from '../http/call.js';
import { bearerOrThrow } from '../http/handler.js';
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

/** The questions that a seller has received. */
export const receivedQuestions = [search];
