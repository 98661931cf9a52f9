export { AuthorizationCallbackError, GrantRevokedError } from '../core/errors/errors.js';
export { createOAuth } from './oauth.js';
export type { AuthorizationCallback, AuthorizationRequest, OAuth, OAuthOptions, OAuthTokens } from './oauth.js';
