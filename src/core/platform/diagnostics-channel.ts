import { nodeModule } from '../node-module.js';
import type { Channel } from '../observability/events.js';

/** The name of the channel of `node:diagnostics_channel` on which every `CallEvent` is published. */
const channelName = 'marketplace-seller-sdk:call';

/** Opens the channel on Node.js, Bun and Deno. */
export function openChannel(): Channel | undefined {
  return nodeModule('node:diagnostics_channel')?.channel(channelName);
}
