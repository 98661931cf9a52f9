import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { OAuth } from 'marketplace-seller-sdk/oauth';

/** The variables of the environment with the registration of this application. */
export const registration = [
  'CLIENT_ID',
  'CLIENT_SECRET',
  'REDIRECT_URI',
  'AUTHORIZATION_URL',
  'TOKEN_URL',
] as const;

/** The OAuth functions of this application. */
export function oauthOf(given: Record<(typeof registration)[number], string>): OAuth {
  return createOAuth({
    clientId: given.CLIENT_ID,
    clientSecret: given.CLIENT_SECRET,
    redirectUri: given.REDIRECT_URI,
    authorizationUrl: given.AUTHORIZATION_URL,
    tokenUrl: given.TOKEN_URL,
    logins: new Map(),
  });
}
