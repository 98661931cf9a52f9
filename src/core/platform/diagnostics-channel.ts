import type { Channel } from '../observability/events.js';

/** The channel of `node:diagnostics_channel` that carries every `CallEvent`. */
const channelName = 'marketplace-seller-sdk:call';

/** The channel of Node, Bun and Deno. */
export function openChannel(): Channel | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel') as
    { channel(name: string): Channel } | undefined;
  return module?.channel(channelName);
}
