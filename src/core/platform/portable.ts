import { ConfigurationError } from '../errors/errors.js';
import type { Platform } from './platform.js';

/** Browsers and Workers: they have only `fetch`, and its errors do not tell whether a request was sent. */
export const platform: Platform = {
  chooseTransport: ({ agent }, sendWithFetch) => {
    if (agent !== undefined) throw new ConfigurationError('`agent` has no effect: this is not Node');
    return sendWithFetch;
  },
  silenceOptions: () => undefined,
  hasOpenEnd: () => false,
  connectErrorOf: () => undefined,
  networkReason: ({ code, message }) => (typeof code === 'string' ? code : message),
  loadUploads: () => import('../files/upload.js'),
  debugLogger: () => undefined,
  openChannel: () => undefined,
};
