import type { TokenSet } from 'marketplace-seller-sdk';

/** Exchanges a refresh token for new tokens (OAuth 2.0, RFC 6749, section 6). */
export async function refreshTokens(
  url: string,
  { refreshToken }: TokenSet,
  signal: AbortSignal,
): Promise<TokenSet> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: process.env.CLIENT_ID ?? '',
    client_secret: process.env.CLIENT_SECRET ?? '',
    refresh_token: refreshToken ?? '',
  });
  const response = await fetch(url, { method: 'POST', body, signal });
  if (!response.ok) throw new Error(`Refreshing the tokens failed with ${response.status}`);
  const tokens = (await response.json()) as {
    access_token: string;
    refresh_token: string;
    expires_in: number;
  };
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: Date.now() + tokens.expires_in * 1000,
  };
}
