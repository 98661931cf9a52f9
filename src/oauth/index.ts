export { AuthorizationCallbackError, GrantRevokedError } from '../core/errors/errors.js';
export { createOAuth } from './oauth.js';
export type { OAuth } from './oauth.js';
export type {
  AuthorizationCallback,
  AuthorizationRequest,
  LoginStore,
  OAuthOptions,
  OAuthTokens,
  PastedCode,
  SellerStatus,
  StoredTokens,
  TokenStore,
} from './tokens.js';
export { createSellers } from './sellers.js';
export type { RevokedSeller, Sellers, SellersOptions } from './sellers.js';
export { sqliteTokens } from './sqlite-tokens.js';
