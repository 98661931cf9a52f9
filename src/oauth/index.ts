export { AuthorizationCallbackError, GrantRevokedError } from '../core/errors/errors.js';
export { createOAuth } from './oauth.js';
export type { OAuth } from './oauth.js';
export type { AuthorizationCallback, AuthorizationRequest, OAuthOptions, OAuthTokens } from './application.js';
