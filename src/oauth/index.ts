export { AuthorizationCallbackError, GrantRevokedError } from '../core/errors/errors.js';
export { createOAuth } from './oauth.js';
export type { OAuth } from './oauth.js';
export type {
  AuthorizationCallback,
  AuthorizationRequest,
  OAuthOptions,
  OAuthTokens,
  PastedCode,
} from './application.js';
export { createSellers } from './sellers.js';
export type { RevokedSeller, Sellers, SellersOptions } from './sellers.js';
export { sqliteTokens } from './sqlite-tokens.js';
export type { StoredTokens, TokenStore } from './token-store.js';
