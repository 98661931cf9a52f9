import type { Channel } from '../observability/events.js';

/** The name of the channel of `node:diagnostics_channel` on which every `CallEvent` is published. */
const channelName = 'marketplace-seller-sdk:call';

/** Opens the channel on Node.js, Bun and Deno. */
export function openChannel(): Channel | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:diagnostics_channel') as
    { channel(name: string): Channel } | undefined;
  return module?.channel(channelName);
}
