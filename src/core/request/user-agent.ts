import { version } from './version.js';

/**
 * Returns the `user-agent` of requests: this package and the runtime. `undefined` in browsers, where the header would cause a
 * CORS preflight for every request.
 */
export function userAgentOf(): string | undefined {
  const runtime = runtimeName();
  return runtime === undefined ? undefined : `marketplace-seller-sdk/${version} (${runtime})`;
}

/** The short `navigator.userAgent` of Node.js, Deno, Bun and Workers. In browsers it starts with `Mozilla/5.0`. */
function runtimeName(): string | undefined {
  const { navigator, process } = globalThis as {
    navigator?: { userAgent?: string };
    process?: { versions?: { node?: string } };
  };
  const name = navigator?.userAgent;
  if (name !== undefined) return /^(?!Mozilla)[\w./ -]{1,40}$/.test(name) ? name : undefined;
  // Node.js can be started without `navigator`.
  const node = process?.versions?.node;
  return node === undefined ? undefined : `Node.js/${node.split('.', 1)[0]}`;
}
