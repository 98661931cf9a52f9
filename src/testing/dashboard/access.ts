/** What the page is guarded with. */
export interface AccessRules {
  /** What who changes something must know. */
  readonly controlToken: string;
  /** Names, beside this machine's own and IP addresses, under which the page may be opened. */
  readonly names: readonly string[];
}

/**
 * Why a request may not have the page or its controls; `undefined` when it may.
 *
 * Any page a person visits can send requests to this machine. It cannot read their answers, set `x-fake-token` or hide
 * its origin from the browser's `Origin` and `Sec-Fetch-Site` headers. And a name that its owner points at this machine
 * after the fact (DNS rebinding) still stands in `Host`, which must therefore be an address or a name known here.
 */
export function denyReason(request: Request, { controlToken, names }: AccessRules, kind: Kind): string | undefined {
  const { host, hostname, searchParams } = new URL(request.url);
  if (!isOwnName(hostname, names))
    return 'The page is not served under this name. Open it by its address, or start with --allow-host and the name.';
  if (kind === 'document') return undefined;
  if (comesFromElsewhere(request.headers, host)) return 'Another site has no business here.';
  if (kind === 'asset') return undefined;
  const token = request.headers.get('x-fake-token') ?? searchParams.get('token');
  return token === controlToken ? undefined : 'The x-fake-token header is missing or is not the one of this server.';
}

/** The page itself, which other sites may link to and cannot read; its files, which hold no secret; all the rest. */
export type Kind = 'document' | 'asset' | 'control';

/** A name that was looked up may have been pointed here by anyone; an address was not looked up. */
function isOwnName(hostname: string, names: readonly string[]): boolean {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[');
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost') || names.includes(hostname);
}

function comesFromElsewhere(headers: Headers, host: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  return origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host);
}
