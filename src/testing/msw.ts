// eslint-disable-next-line @typescript-eslint/ban-ts-comment -- who does not use msw has no such package, and must not hear of it
/** @ts-ignore: msw is an optional peer. */
import type { RequestHandler } from 'msw';

/** A handler as msw's `setupServer` and `setupWorker` take it. */
export type MswHandler = RequestHandler;

/** What msw gives to a handler. */
interface Intercepted {
  readonly request: Request;
  readonly requestId: string;
}

/**
 * A request handler of msw that hands everything under a base URL to a `Request -> Response` function.
 *
 * It keeps msw's contract for handlers without loading msw: the caller's copy, of whichever module form, takes it.
 */
export function mswHandler(baseUrl: string, handle: (request: Request) => Promise<Response>): MswHandler {
  const within = (request: Request): boolean => request.url === baseUrl || /^[/?#]/.test(rest(request));
  const rest = (request: Request): string =>
    request.url.startsWith(baseUrl) ? request.url.slice(baseUrl.length) : 'elsewhere';
  const nothing = (): void => undefined;
  const handler = {
    kind: 'request',
    info: { header: `FakeMarketplace at ${baseUrl}`, path: baseUrl, method: /.+/ },
    isUsed: false,
    run: async ({ request, requestId }: Intercepted): Promise<object | null> => {
      if (!within(request)) return null;
      const copy = request.clone();
      const target = new URL(rest(request), 'https://marketplace.test');
      const response = await handle(new Request(target, request));
      return { handler, request: copy, requestId, response, parsedResult: {} };
    },
    test: ({ request }: Intercepted): Promise<boolean> => Promise.resolve(within(request)),
    log: nothing,
    reset: nothing,
    restore: nothing,
    dispose: nothing,
  };
  return handler as unknown as MswHandler;
}
