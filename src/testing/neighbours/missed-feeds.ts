import { integer, looseObject, optional, string } from '../../core/schema/define.js';
import { pageOf } from '../http/conventions.js';
import { bearerOrThrow, forbidden } from '../http/handler.js';
import { queryPage } from '../http/read-request.js';
import { reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

/** The service keeps what could not be delivered for two days. */
const keptMs = 2 * 86_400_000;

const list: Neighbour<{ app_id: number; topic?: string | undefined }> = {
  endpoint: reading('missedFeeds.list', '/missed_feeds', looseObject({ app_id: integer, topic: optional(string) })),
  handle: (call, { clock, notifications, settings }) => {
    const { app_id, topic } = call.input;
    if (app_id !== bearerOrThrow(call).application_id) throw forbidden('The application is not that of the token');
    const missed = notifications.abandoned.filter(
      ({ application_id, event, at }) =>
        application_id === app_id && event.topic === (topic ?? event.topic) && clock.ms - Date.parse(at) < keptMs,
    );
    const { items } = pageOf(missed, queryPage(call, 50, settings.maxPageSize));
    return { messages: items.map(({ body, attempt }) => ({ ...body, attempts: attempt })) };
  },
};

/** The notifications that could not be delivered. */
export const missedFeeds = [list];
