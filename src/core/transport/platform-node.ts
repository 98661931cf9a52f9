import { chooseTransport } from './choose-transport.js';
import { connectErrorOf } from './connect-errors.js';
import { networkReason } from './network-error.js';
import type { Platform } from './platform.js';

const memory = new Map<object, unknown>();

export const platform: Platform = {
  memory: () => memory,
  sharesFiles: () => true,
  chooseTransport,
  connectErrorOf,
  networkReason,
  loadUploads: () => import('../files/multipart.js'),
};
