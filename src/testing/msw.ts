import type { RequestHandler } from 'msw';

export type { RequestHandler };

/** What msw passes to a handler. */
interface Intercepted {
  readonly request: Request;
  readonly requestId: string;
}

/**
 * Creates an msw request handler that passes every request under a base URL to a `Request -> Response` function.
 *
 * It implements msw's handler contract without importing msw, so that it works with the caller's copy of msw.
 */
export function mswHandler(baseUrl: string, handle: (request: Request) => Promise<Response>): RequestHandler {
  const isUnderBaseUrl = (request: Request): boolean => request.url === baseUrl || /^[/?#]/.test(rest(request));
  const rest = (request: Request): string =>
    request.url.startsWith(baseUrl) ? request.url.slice(baseUrl.length) : 'elsewhere';
  const noop = (): void => undefined;
  const handler = {
    kind: 'request',
    info: { header: `FakeMarketplace at ${baseUrl}`, path: baseUrl, method: /./ },
    isUsed: false,
    run: async ({ request, requestId }: Intercepted): Promise<object | null> => {
      if (!isUnderBaseUrl(request)) return null;
      const copy = request.clone();
      const target = new URL(rest(request), 'https://marketplace.test');
      // A fault that breaks the connection makes `fetch` reject, which msw expresses as an error response.
      const response = await handle(new Request(target, request)).catch((error: unknown) => {
        if (error instanceof TypeError) return Response.error();
        throw error;
      });
      return { handler, request: copy, requestId, response, parsedResult: {} };
    },
    test: ({ request }: Intercepted): Promise<boolean> => Promise.resolve(isUnderBaseUrl(request)),
    log: noop,
    reset: noop,
    restore: noop,
    dispose: noop,
  };
  return handler as unknown as RequestHandler;
}
