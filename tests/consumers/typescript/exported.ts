// What an application exports of what it has made: the compiler has to name each type in the declarations that it writes.
import { SellerClient, createHttpClient } from 'marketplace-seller-sdk';
import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { createOAuth, createSellers } from 'marketplace-seller-sdk/oauth';
import type { OAuthOptions, TokenStore } from 'marketplace-seller-sdk/oauth';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { createTools } from 'marketplace-seller-sdk/tools';

declare const settings: OAuthOptions;
declare const tokens: TokenStore;

export const http = createHttpClient({ baseUrl: 'https://api.example.com', accessToken: 'token' });
export const client = new SellerClient({ baseUrl: 'https://api.example.com' });
export const { actionGuide, contacts, currencies, flex, items, messages, questions, sites } = client;
export const unanswered = client.questions.search({ seller_id: 7, filters: { status: 'UNANSWERED' } });
export const conversation = client.messages.conversation({ pack_id: 1, user_id: 7 });
export const oauth = createOAuth(settings);
export const sellers = createSellers({ client, tokens, refresh: oauth.refresh });
export const store = memoryStore();
export const inbox = createInbox({ store, clientFor: sellers.for, on: {} });
export const outbox = createOutbox({ store, clientFor: sellers.for });
export const { deadLetters, rejected, waiting } = inbox;
export const lists = [inbox.rejected.list, inbox.deadLetters.list, inbox.waiting.list, outbox.rejected.list] as const;
export const jobs = outbox.list;
export const opens = [openInbox, openOutbox] as const;
export const counted = [inbox.stats, outbox.stats] as const;
export const views = { inbox: openInbox(store), outbox: openOutbox(store) };
export const tools = createTools(sellers);
export const { answer } = endpoints.questions;
export const marketplace = new FakeMarketplace();
export const { accounts, clock, faults, notifications, operations, requests } = marketplace;
export const inject = faults.inject;
