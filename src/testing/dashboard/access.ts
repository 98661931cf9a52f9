/** What protects the dashboard and its control endpoints. */
interface AccessRules {
  /** The token that control calls need. */
  readonly controlToken: string;
  /** Host names that are allowed in addition to `localhost` and IP addresses; lower case. */
  readonly names: readonly string[];
}

/** Whether a text can be a control token: long enough, and valid in a header and a URL. */
export function isControlToken(text: string): boolean {
  return /^[\w-]{16,}$/.test(text);
}

/**
 * Returns why a request is denied; `undefined` when it is allowed.
 *
 * Any website that a person visits can send requests to this machine. It cannot read the responses, set `x-fake-token`
 * or hide its origin from the browser's `Origin` and `Sec-Fetch-Site` headers. A host name that later resolves to this
 * machine (DNS rebinding) still appears in `Host`, under which the page with the token is therefore not served.
 */
export function denyReason(
  request: Request,
  { controlToken, names }: AccessRules,
  kind: ResourceKind,
): string | undefined {
  const { host, hostname, searchParams } = new URL(request.url);
  // Who has the token needs no known name: a container is called by the name of its service.
  if (kind !== 'control' && !isKnownHost(hostname, names))
    return 'This host name is not allowed. Use the IP address, or allow the name with --allow-host.';
  if (kind === 'document') return undefined;
  if (isCrossSite(request.headers, host)) return 'Cross-site requests are not allowed.';
  if (kind === 'asset') return undefined;
  const token = request.headers.get('x-fake-token') ?? searchParams.get('token');
  return token === controlToken ? undefined : 'The x-fake-token header is missing or wrong.';
}

/** `document`: the page, which other sites may link to. `asset`: its files, without secrets. `control`: the rest. */
export type ResourceKind = 'document' | 'asset' | 'control';

/** Anyone can make a host name resolve to this machine; an IP address is not looked up. */
function isKnownHost(hostname: string, names: readonly string[]): boolean {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[');
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost') || names.includes(hostname);
}

function isCrossSite(headers: Headers, host: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  return origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host);
}
