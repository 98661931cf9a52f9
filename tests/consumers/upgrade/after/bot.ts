// A bot of a seller, ported from 0.2.0: tokens, an inbox, a message that is sent once, and a test on the fake marketplace.
import assert from 'node:assert/strict';
import { ApiError, SellerClient, hasStatus, refreshingToken } from 'marketplace-seller-sdk';
import type { TokenSet } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox, InboxEntry, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

export const oauth = createOAuth({
  clientId: '1234',
  clientSecret: process.env.CLIENT_SECRET ?? 'secret',
  redirectUri: 'https://shop.example/callback',
  authorizationUrl: 'https://auth.example.com/authorization',
  tokenUrl: 'https://api.example.com/oauth/token',
});

const tokens = new Map<number, TokenSet>();

export function clientFor(user_id: number): SellerClient {
  return new SellerClient({
    baseUrl: 'https://api.example.com',
    accessToken: refreshingToken({
      load: () => tokens.get(user_id)!,
      refresh: oauth.refresh,
      save: (set) => void tokens.set(user_id, set),
    }),
    unknownOutcome: 'confirm',
    headers: { 'user-agent': 'shop/1.0' },
  });
}

export function createBot(options: Pick<InboxOptions<SellerClient>, 'clientFor' | 'store'>): Inbox {
  return createInbox({
    ...options,
    retry: { maxRetries: 11 },
    on: {
      questions: async (_, { read, client }) => {
        const question = await read();
        if (!hasStatus(question, 'UNANSWERED')) return;
        await client.questions.answer({ question_id: question.id, text: 'Yes.' });
      },
    },
    onFailure: ({ error, dead }) => {
      if (error instanceof ApiError && error.isLasting) console.log('never again:', error.code, dead);
    },
  });
}

export const inProduction = (): Inbox => createBot({ clientFor, store: sqliteStore('inbox.db') });
export const handler = nodeHandler(createBot({ clientFor, store: memoryStore() }));

/** Sends a message once: after a crash, the service is asked whether it has arrived. */
export async function sendOnce(seller: SellerClient, input: typeof endpoints.messages.send.example, sentAt: number) {
  const { done } = await seller.confirm(endpoints.messages.send, input, { sentAt });
  if (done === false) await seller.messages.send(input);
}

/** What failed for good, for a person. */
export const failedSince = async (bot: Inbox): Promise<InboxEntry[]> => {
  const dead = await bot.deadLetters.list();
  return dead.map(({ entry }) => entry);
};

export async function test(): Promise<void> {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser({ user_id: 7 });
  const from = marketplace.addUser({ user_id: 31 });
  const { item_id } = marketplace.addItem({ seller_id: 7 });
  const bot = createBot({ clientFor: () => marketplace.clientFor(account), store: memoryStore() });
  marketplace.notifications.subscribe({ callback: fetchHandler(bot) });
  const { id } = marketplace.ask({ from, item_id, text: 'Is it in stock?' });
  await marketplace.notifications.flush();
  await bot.idle();
  assert.equal(marketplace.questions.get(id)?.answer?.text, 'Yes.');
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  marketplace.buyerWrites({ pack, text: 'First' });
  marketplace.buyerWrites({ pack, text: 'Second' });
  assert.equal(marketplace.messages.of(pack)[0]?.text, 'First');
  assert.deepEqual(await failedSince(bot), []);
  await bot.close();
}
