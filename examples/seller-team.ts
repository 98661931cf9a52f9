/**
 * The application of a seller team. Each part is a process of its own:
 *
 *   node examples/seller-team.ts web        connects sellers, and accepts webhooks
 *   node examples/seller-team.ts worker     answers, and sends messages
 *   node examples/seller-team.ts review       shows what a person has to decide
 *   node examples/seller-team.ts report     drivers and clicks of each seller
 *   node examples/seller-team.ts assistant  proposes an answer to a question
 *
 * The parts share two files in FOLDER: tokens.db and team.db. The environment
 * has the settings: BASE_URL, CALLBACK_PATH (see `secretPath`), and what the
 * registration says: CLIENT_ID, CLIENT_SECRET, REDIRECT_URI,
 * AUTHORIZATION_URL and TOKEN_URL. PORT is 8080 by default.
 */
import { join } from 'node:path';
import express from 'express';
import {
  BadRequestError,
  NotFoundError,
  SellerClient,
  defineEndpoint,
  isAnswerable,
  packOf,
} from 'marketplace-seller-sdk';
import {
  createInbox,
  nodeHandler,
  openInbox,
} from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import {
  createOutbox,
  openOutbox,
  toReview,
} from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { createTools } from 'marketplace-seller-sdk/tools';
// oxlint-disable-next-line no-restricted-imports -- applications import it so
import * as z from 'zod';
import { oauthOf, registration } from './application.ts';
import { needed } from './environment.ts';

const settings = needed('BASE_URL', 'CALLBACK_PATH', ...registration);
const { FOLDER: folder = '.', PORT: port = '8080' } = process.env;
const path = settings.CALLBACK_PATH;

// Sellers: tokens that are refreshed once over all processes.
const oauth = oauthOf(settings);
const tokens = sqliteTokens(join(folder, 'tokens.db'));
const sellers = createSellers({
  client: new SellerClient({ baseUrl: settings.BASE_URL }),
  tokens,
  refresh: oauth.refresh,
  onRevoked: ({ user_id }) =>
    console.log(`${user_id} has to connect again`),
});

// Orders are no resource of the library, so their endpoint is defined here.
const order = z.looseObject({
  id: z.int(),
  pack_id: z.int().nullish(),
  status: z.string(),
  tags: z.array(z.string()).nullish(),
  buyer: z.looseObject({ id: z.int() }),
  seller: z.looseObject({ id: z.int() }),
});
const getOrder = defineEndpoint({
  name: 'orders.get',
  method: 'GET',
  path: '/orders/{order_id}',
  output: order,
});
const idOf = (resource: string) => Number(resource.split('/').at(-1));
const doNotWrite = ['test_order', 'fraud_risk_detected'];

/** The inbox and the outbox of a process: one file, one book of writes. */
function open({ handle }: { readonly handle: boolean }) {
  const store = sqliteStore(join(folder, 'team.db'));
  const outbox = createOutbox({
    store,
    clientFor: sellers.for,
    // Moderation is followed until it has decided.
    onRejection: ({ entry, reason }) =>
      console.log(`review: ${entry.key} was rejected: ${reason}`),
    onFailure: ({ entry, error, dead }) => {
      if (dead) console.log(`review: ${entry.key}: ${String(error)}`);
    },
  });
  const inbox = createInbox({
    store,
    path,
    handle,
    clientFor: sellers.for,
    sellers, // at the start it looks for what was missed
    topics: { orders_v2: { endpoint: getOrder, idOf } },
    on: {
      questions: async (_, { read, client }) => {
        const question = await read();
        const isAboutStock = /stock|available/i.test(question.text ?? '');
        if (!isAnswerable(question) || !isAboutStock) return; // for a person
        const answer = {
          question_id: question.id,
          text: 'Yes, it is in stock.',
        };
        try {
          await client.questions.answer(answer);
        } catch (error) {
          if (!(error instanceof BadRequestError)) throw error;
          console.log(`review: question ${question.id}: ${error.message}`);
        }
      },
      messages: async ({ user_id }, { read, reply }) => {
        const { id, text, pack_id, site_id } = await read();
        if (!/invoice/i.test(text ?? '') || pack_id === undefined) {
          await reply('Thank you. We read your message today.');
          return;
        }
        // A message with a PDF: uploaded, sent once, and followed.
        const file = join(folder, `invoice-${pack_id}.pdf`);
        await outbox.add({
          key: `invoice-${id}`,
          user_id,
          steps: [
            {
              endpoint: endpoints.messages.upload,
              input: { site_id: site_id ?? 'MLA', file },
            },
            {
              contact: { pack_id, user_id, text: 'Here is your invoice.' },
            },
          ],
        });
      },
      orders_v2: async (_, { read }) => {
        const sale = await read();
        if (sale.status !== 'paid') return;
        if (sale.tags?.some((tag) => doNotWrite.includes(tag))) return;
        const pack_id = packOf(sale);
        const user_id = sale.seller.id;
        const to = { user_id: sale.buyer.id };
        const text = 'Thank you! Your parcel leaves tomorrow.';
        // One message for each purchase: a key is sent once.
        await outbox.add({
          key: `sale-${pack_id}`,
          user_id,
          contact: { pack_id, user_id, to, text },
        });
      },
    },
    onFailure: ({ entry, error, dead }) => {
      const { resource } = entry.notification;
      if (dead) console.log(`review: ${resource}: ${String(error)}`);
    },
  });
  return { inbox, outbox };
}

/** Connects sellers, and accepts notifications for the worker. */
function web(): void {
  const { inbox, outbox } = open({ handle: false });
  const app = express();
  app.get('/connect', async (_, response) => {
    const { url, state } = await oauth.start();
    response.cookie('state', state, { httpOnly: true, sameSite: 'lax' });
    response.redirect(url);
  });
  app.get('/callback', async (request, response) => {
    const cookies = request.headers.cookie ?? '';
    const state = /(?:^|; )state=([^;]+)/.exec(cookies)?.[1] ?? '';
    const url = request.originalUrl;
    const connected = await oauth.exchange({ url, state });
    await sellers.add(connected);
    response.send(`Seller ${connected.user_id} is connected.`);
  });
  app.all(path, nodeHandler(inbox));
  const server = app.listen(Number(port), () => console.log('web: ready'));
  onStop(async () => {
    server.close();
    await inbox.close();
    await outbox.close();
    server.closeAllConnections();
  });
}

/** Handles what the web process has accepted, and sends the messages. */
function worker(): void {
  const { inbox, outbox } = open({ handle: true });
  inbox.start(); // keeps the process alive until close()
  outbox.start();
  console.log('worker: ready');
  onStop(async () => {
    await inbox.close();
    await outbox.close();
  });
}

/** Shows what a person has to look at, in one list. */
async function review(): Promise<void> {
  const store = sqliteStore(join(folder, 'team.db'));
  const [inbox, outbox] = [openInbox(store), openOutbox(store)];
  const items = await toReview({ inbox, outbox, sellers });
  for (const { state, user_id, about, reason } of items)
    console.log(`${state}: seller ${user_id}: ${about}: ${reason}`);
  // `deadLetters.replay(key)` tries again what failed.
  console.log(await inbox.stats(), await outbox.stats());
  await inbox.close();
  await outbox.close();
}

/** Prints who delivers, and how often buyers clicked on "See phone". */
async function report(): Promise<void> {
  const { SITE_ID: site_id = 'MLA', SHIPMENT_ID: shipment_id } =
    process.env;
  for (const user_id of await sellers.ids()) {
    const seller = await sellers.for(user_id);
    if (!seller) continue;
    const window = { user_id, last: 7, unit: 'day' } as const;
    const clicks = await seller.contacts.phoneViews.windowOfUser(window);
    console.log(`${user_id}: ${clicks.total} clicks in 7 days`);
    if (!shipment_id) continue;
    try {
      const driver = await seller.flex.driver({ site_id, shipment_id });
      console.log(`${user_id}: driver ${driver.driver_id}`);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      console.log(`${user_id}: shipment ${shipment_id} has no driver yet`);
    }
  }
}

/** Proposes an answer. It is sent when a person has agreed: AGREE=yes. */
async function assistant(): Promise<void> {
  const { QUESTION_ID, TEXT: text = '', SELLER, AGREE } = process.env;
  const seller = await sellers.for(Number(SELLER));
  if (!seller) throw new Error(`${SELLER} is no seller of ours`);
  const [answer] = createTools(seller, { only: ['questions.answer'] });
  // A model fills in the input. Here, the environment does.
  const input = { question_id: Number(QUESTION_ID), text };
  console.log(await answer?.preview(input));
  if (AGREE === 'yes') console.log((await answer?.run(input))?.text);
}

/** Stops a part in the right order: first its work, then its tokens. */
function onStop(closeWork: () => Promise<void>): void {
  const stop = async (): Promise<void> => {
    await closeWork();
    await closeSellers();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stop());
}

async function closeSellers(): Promise<void> {
  await sellers.close();
  await tokens.close?.();
}

const once = { review, report, assistant };
const parts = { web, worker, ...once };
const name = process.argv[2] ?? '';
if (!(name in parts)) {
  console.error(`Name a part: ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
await parts[name as keyof typeof parts]();
if (name in once) await closeSellers();
