export { AuthorizationCallbackError, GrantRevokedError } from '../core/errors/errors.js';
export { createOAuth, type OAuth } from './oauth.js';
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
export { createSellers, type RevokedSeller, type Sellers, type SellersOptions } from './sellers.js';
export { sqliteTokens } from './sqlite-tokens.js';
