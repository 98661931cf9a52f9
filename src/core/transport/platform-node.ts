import { chooseTransport } from './choose-transport.js';
import { connectErrorOf, networkReason } from './connect-errors.js';
import type { Platform } from './transport.js';

const memory = new Map<object, unknown>();

export const platform: Platform = {
  memory: () => memory,
  sharesFiles: () => true,
  addressOf: (baseUrl) => baseUrl,
  chooseTransport,
  connectErrorOf,
  networkReason,
  loadUploads: () => import('../files/multipart.js'),
};
