import { createOAuth } from 'marketplace-seller-sdk/oauth';

/** The OAuth functions of this application. The values come from its registration. */
export const oauth = createOAuth({
  clientId: process.env.CLIENT_ID ?? '500',
  clientSecret: process.env.CLIENT_SECRET ?? 'secret',
  redirectUri: process.env.REDIRECT_URI ?? 'https://bot.example.com/callback',
  authorizationUrl: process.env.AUTHORIZATION_URL ?? 'https://auth.example.com/authorization',
  tokenUrl: process.env.TOKEN_URL ?? 'https://api.example.com/oauth/token',
});
