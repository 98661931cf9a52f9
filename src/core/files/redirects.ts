const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** The headers that `fetch` removes after a redirect to another origin. */
const leftOutByFetch = new Set(['authorization', 'cookie', 'proxy-authorization']);

type IsSecret = (headerName: string) => boolean;
type SendRequest = (request: Request) => Promise<Response>;

/**
 * Returns a function that follows redirects, if the download has a secret header that `fetch` would send to another
 * origin; `undefined` if `fetch` can follow the redirects.
 */
export function redirectFollower(
  headers: Readonly<Record<string, string>>,
  isSecret: IsSecret,
): ((request: Request, send: SendRequest) => Promise<Response>) | undefined {
  const mustFollow = Object.keys(headers).some((name) => isSecret(name) && !leftOutByFetch.has(name.toLowerCase()));
  return mustFollow ? (request, send) => followRedirects(request, send, isSecret) : undefined;
}

/** Sends a GET and follows its redirects without secret headers for other origins. Browsers hide redirects. */
async function followRedirects(request: Request, send: SendRequest, isSecret: IsSecret): Promise<Response> {
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(current);
    const location = response.headers.get('location');
    const isLast = redirects === maxRedirects || !redirectStatuses.has(response.status);
    if (isLast || location === null || !URL.canParse(location, current.url)) return response;
    const target = new URL(location, current.url);
    // Like `fetch`: a URL of another scheme, for example `data:`, is not a file of the service.
    if (target.protocol !== 'https:' && target.protocol !== 'http:') return response;
    // Not awaited: the cancel of a response that a custom `fetch` has cloned ends with that of the other copy.
    void response.body?.cancel().catch(() => undefined);
    current = redirected(current, target, isSecret);
  }
}

function redirected(request: Request, url: URL, isSecret: IsSecret): Request {
  const { method, signal } = request;
  const headers = new Headers(request.headers);
  if (url.origin !== new URL(request.url).origin) {
    for (const name of request.headers.keys()) if (isSecret(name)) headers.delete(name);
  }
  return new Request(url, { method, headers, signal, redirect: 'manual' });
}
