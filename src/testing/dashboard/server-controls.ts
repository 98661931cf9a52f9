import { bodyless } from './control.js';
import type { Control } from './control.js';
import { controls } from './controls.js';
import { filterNames, listsOf, search, searchFields, selectRequests } from './lists.js';
import { describeControls, marketplaceOpenApi } from './openapi.js';
import type { RequestLog } from './request-log.js';
import { snapshot } from './snapshot.js';
import type { EventStream } from './snapshot.js';

/** What the control endpoints of a server need of it. */
interface ServerState {
  readonly requestLog: RequestLog;
  readonly events: EventStream;
  /** Restores the initial state of the marketplace; `undefined` if only its program can do that. */
  readonly reset: (() => void) | undefined;
}

/** Returns all control endpoints of a server: its own, and those that change or read the marketplace. */
export function controlsOf({ requestLog, events, reset }: ServerState): Readonly<Record<string, Control>> {
  const clear = (): void => {
    requestLog.clear();
    events.changed();
  };
  const all: Record<string, Control> = {
    'GET /__fake/health': bodyless('Tells that the server runs; needs no control token', () => ({ status: 'ok' })),
    'POST /__fake/reset': bodyless('Restores the initial state', () => {
      if (!reset)
        return errorJson(
          409,
          'This marketplace belongs to the program that serves it; only that program can reset it.',
        );
      reset();
      clear();
      return {};
    }),
    'GET /__fake/state': bodyless('Returns the current state', (marketplace) => snapshot(marketplace, requestLog.all)),
    'GET /__fake/search': bodyless(
      'Searches a list of the state',
      (marketplace, { searchParams }) => search(listsOf(marketplace, requestLog.all), searchParams),
      searchFields,
    ),
    'GET /__fake/requests': bodyless(
      'Returns the number of requests that match the filters of the query, and the newest 1,000 of them',
      ({ operations }, { searchParams }) => {
        const requests = selectRequests(requestLog.all, searchParams, operations.routes);
        return { count: requests.length, requests: requests.slice(-1000) };
      },
      filterNames,
    ),
    'DELETE /__fake/requests': bodyless('Removes all recorded requests', clear),
    'GET /__fake/events': bodyless('Streams the state and its changes as server-sent events', () =>
      contentOf(events.stream(), 'text/event-stream'),
    ),
    'GET /__fake/openapi.json': bodyless('Returns this document', () => describeControls(all)),
    'GET /__fake/marketplace-openapi.json': bodyless(
      'Returns the OpenAPI document of the marketplace itself',
      ({ operations }, { origin }) => marketplaceOpenApi(origin, operations.all),
    ),
    ...controls,
  };
  return all;
}

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Creates a response of the dashboard. */
export function contentOf(body: string | ReadableStream, type: string): Response {
  return new Response(body, { headers: { ...securityHeaders, 'content-type': type } });
}

/** Creates a response of a control endpoint. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: securityHeaders });
}

/** Creates the response of a control endpoint to a wrong call. */
export function errorJson(status: number, message: string): Response {
  return json({ message: message.replace(/^FakeMarketplace: /, '') }, status);
}
