import { version } from './version.js';

/**
 * The `user-agent` of requests: the application's own product, this package, and the runtime. `undefined` in a browser,
 * where it would make every request need the permission of the service (a CORS preflight).
 */
export function userAgentOf(application: string | undefined): string | undefined {
  const runtime = runtimeName();
  if (runtime === undefined) return undefined;
  const own = `marketplace-seller-sdk/${version} (${runtime})`;
  return application === undefined ? own : `${application} ${own}`;
}

/** Node, Deno, Bun and Workers name themselves in `navigator.userAgent`, in a few characters; browsers say `Mozilla/5.0 ...`. */
function runtimeName(): string | undefined {
  const { navigator, process } = globalThis as {
    navigator?: { userAgent?: string };
    process?: { versions?: { node?: string } };
  };
  const name = navigator?.userAgent;
  if (name !== undefined) return /^(?!Mozilla)[\w./ -]{1,40}$/.test(name) ? name : undefined;
  // Node can be started without a `navigator`.
  const node = process?.versions?.node;
  return node === undefined ? undefined : `Node.js/${node.split('.', 1)[0]}`;
}
