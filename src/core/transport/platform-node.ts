import { chooseTransport } from './choose-transport.js';
import { connectErrorOf } from './connect-errors.js';
import { debugLogger } from './debug-logger.js';
import { networkReason } from './network-error.js';
import type { Platform } from './platform.js';

export const platform: Platform = {
  chooseTransport,
  connectErrorOf,
  networkReason,
  loadUploads: () => import('../files/multipart.js'),
  debugLogger,
  openChannel: () => {
    // Not every platform that takes this module has a `process`. With `nodeModule`, an import would read one more file.
    const { process } = globalThis as { process?: Partial<NodeJS.Process> };
    return process?.getBuiltinModule?.('node:diagnostics_channel').channel('marketplace-seller-sdk:call');
  },
};
