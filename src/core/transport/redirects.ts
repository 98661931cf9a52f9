import { isSecretName } from '../errors/secret-names.js';

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** The headers that every `fetch` leaves out by itself after a redirect to another origin. */
const leftOutByFetch = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Whether a download has a secret header that `fetch` would carry to another origin. */
export function mustFollowByHand(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => isSecretName(name) && !leftOutByFetch.has(name.toLowerCase()));
}

/** Sends a GET and follows its redirects; secret headers stay with the first origin. A browser shows no redirect. */
export async function followRedirects(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  let current = request;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(current);
    const location = response.headers.get('location');
    const isLast = redirects === maxRedirects || !redirectStatuses.has(response.status);
    if (isLast || location === null || !URL.canParse(location, current.url)) return response;
    await response.body?.cancel();
    current = redirected(current, new URL(location, current.url));
  }
}

function redirected(request: Request, url: URL): Request {
  const { method, signal } = request;
  const headers = new Headers(request.headers);
  if (url.origin !== new URL(request.url).origin) {
    for (const name of request.headers.keys()) if (isSecretName(name)) headers.delete(name);
  }
  return new Request(url, { method, headers, signal, redirect: 'manual' });
}
