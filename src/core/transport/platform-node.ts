import { chooseTransport } from './choose-transport.js';
import { connectErrorOf } from './connect-errors.js';
import { networkReason } from './network-error.js';
import type { Platform } from './platform.js';

export const platform: Platform = {
  chooseTransport,
  connectErrorOf,
  networkReason,
  loadUploads: () => import('../files/multipart.js'),
};
