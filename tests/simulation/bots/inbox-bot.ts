import { join } from 'node:path';
import { fetchHandler } from 'marketplace-seller-sdk/notifications';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import { inboxOf } from '../../../examples/inbox-bot/receiver.ts';

/** The bot of the examples, without its server. */
export function inboxBot({ baseUrl, folder, start, sellers, marketplace }: World): Bot {
  const oauth = createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: `${baseUrl}/authorization`,
    tokenUrl: `${baseUrl}/oauth/token`,
  });
  const { receiver, tokens } = inboxOf({ baseUrl, path: join(folder, 'bot.db'), refresh: oauth.refresh });
  if (start === 1)
    for (const { user_id } of sellers) {
      const refreshToken = marketplace.accounts.issueRefreshToken(user_id);
      tokens.save(user_id, { accessToken: 'expired', refreshToken, expiresAt: Date.now() });
    }
  receiver.start();
  return {
    callback: fetchHandler(receiver),
    stats: () => receiver.stats(),
    stop: async () => {
      await receiver.close();
      tokens.close();
    },
  };
}
