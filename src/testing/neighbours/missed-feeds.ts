import { integer, looseObject, optional, string } from '../../core/schema/define.js';
import { pageOf } from '../http/conventions.js';
import { badRequest, bearerOrThrow, forbidden } from '../http/handler.js';
import { queryPage } from '../http/read-request.js';
import { reading } from './neighbour.js';
import type { Neighbour } from './neighbour.js';

/** The service keeps what could not be delivered for two days. */
const keptMs = 2 * 86_400_000;
const pageSize = 10;

interface MissedFeeds {
  readonly app_id: number;
  readonly topic?: string | undefined;
  readonly site_id?: string | undefined;
}

const list: Neighbour<MissedFeeds> = {
  endpoint: reading(
    'missedFeeds.list',
    '/missed_feeds',
    looseObject({ app_id: integer, topic: optional(string), site_id: optional(string) }),
  ),
  handle: (call, { accounts, clock, notifications, settings }) => {
    const { app_id, topic, site_id } = call.input;
    const { application_id, user_id } = bearerOrThrow(call);
    if (app_id !== application_id) throw forbidden('The application is not that of the token');
    if (user_id !== (settings.missedFeedsOwner ?? user_id)) throw forbidden('The token is not that of the owner');
    if (topic === 'items' && site_id === undefined) throw badRequest('the topic items needs a site_id');
    const missed = notifications.missed.filter(
      ({ application_id: to, event, at }) =>
        to === app_id &&
        event.topic === (topic ?? event.topic) &&
        (site_id === undefined || accounts.get(event.user_id)?.site_id === site_id) &&
        clock.ms - at < keptMs,
    );
    const { items } = pageOf(missed, queryPage(call, pageSize, settings.maxPageSize));
    return {
      messages: items.map(({ body, attempts, url, outcome }) => ({ ...body, attempts, ...exchangeOf(url, outcome) })),
    };
  },
};

/** What the service has sent last, and received. */
function exchangeOf(url: string | null, outcome: unknown): object {
  const http_code = typeof outcome === 'number' ? outcome : 0;
  return { request: { url }, response: { req_time: 500, http_code } };
}

/** The notifications that could not be delivered. */
export const missedFeeds = [list];
