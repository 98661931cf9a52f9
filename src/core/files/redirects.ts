const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** The headers that `fetch` removes after a redirect to another origin. */
const leftOutByFetch = new Set(['authorization', 'cookie', 'proxy-authorization']);

type IsSecret = (headerName: string) => boolean;

/** A GET of a download. */
interface RedirectTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the redirects of one download are followed. */
export interface Redirects {
  /** Whether the platform's `fetch` would send a secret header to another origin, and must not follow them. */
  readonly isSecret: boolean;
  /** Returns the next request, without secret headers for other origins; `undefined` if a response is the last one. */
  next(
    sent: RedirectTarget,
    response: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  ): RedirectTarget | undefined;
}

/** Creates the rule for one attempt. Browsers hide redirects, and follow them. */
export function redirectsOf(headers: RedirectTarget['headers'], isSecret: IsSecret): Redirects {
  let count = 0;
  return {
    isSecret: Object.keys(headers).some((name) => isSecret(name) && !leftOutByFetch.has(name.toLowerCase())),
    next: (sent, response) => {
      const location = response.headers.get('location');
      if (count === maxRedirects || !redirectStatuses.has(response.status)) return undefined;
      if (location === null || !URL.canParse(location, sent.url)) return undefined;
      const url = new URL(location, sent.url);
      // Like `fetch`: a URL of another scheme, for example `data:`, is not a file of the service.
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
      count += 1;
      const isSame = url.origin === new URL(sent.url).origin;
      const kept = Object.entries(sent.headers).filter(
        ([name]) => isSame || !(isSecret(name) || leftOutByFetch.has(name.toLowerCase())),
      );
      return { url: url.href, headers: Object.fromEntries(kept) };
    },
  };
}
