import { ConfigurationError } from '../errors/errors.js';
import { createFetchTransport } from './fetch.js';
import type { Platform } from './transport.js';

const memory = new Map<object, unknown>();

/** Browsers and Workers: they have only `fetch`, and its errors do not tell whether a request was sent. */
export const platform: Platform = {
  memory: () => memory,
  sharesFiles: () => true,
  addressOf: (baseUrl) => baseUrl,
  chooseTransport: (options) => {
    if (options.agent !== undefined) throw new ConfigurationError('`agent` has no effect: this is not Node');
    return createFetchTransport(options);
  },
  connectErrorOf: () => undefined,
  networkReason: ({ code, message }) => (typeof code === 'string' ? code : message),
  loadUploads: () => import('../files/upload.js'),
};
