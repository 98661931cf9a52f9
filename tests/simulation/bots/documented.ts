import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AuthenticationError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { Bot, World } from 'marketplace-seller-sdk/simulation';
import type { FakeMarketplaceOptions } from 'marketplace-seller-sdk/testing';
import * as timers from 'node:timers/promises';
// oxlint-disable-next-line no-restricted-imports -- a guide imports it as applications do
import * as zod from 'zod';
import { compiled, snippetsIn } from '../../../tools/snippets.ts';
import type { RunCompiled } from '../../../tools/snippets.ts';
import { entries } from '../../support/entries.ts';

/** Code of a document that runs as a bot, as it stands. */
export interface DocumentedBot {
  /** The document, and the heading above the code. */
  readonly name: string;
  readonly code: string;
  /** Options of the marketplace that the code creates. */
  readonly marketplace: FakeMarketplaceOptions;
  readonly bot: (world: World) => Promise<Bot>;
}

const root = join(import.meta.dirname, '../../..');
/** Their network, database or browser cannot be simulated, or they have no seller. */
const isLeftOut = /from '(?:bullmq|pg)'|test\('|from 'express'|otel'/;

/** Every block of the front page and the guides that has an inbox, or answers questions in a loop. */
export function documentedBots(): DocumentedBot[] {
  const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
  const documents = ['README.md', ...guides.filter((path) => path.endsWith('.md') && !path.endsWith('simulation.md'))];
  const blocks = documents.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return snippetsIn(path, text).map(({ at, code }) => ({ name: `${path}: ${headingOf(text, at)}`, code }));
  });
  return blocks
    .filter(({ code }) => (isInbox(code) || /for await[^]*questions\.answer\(/.test(code)) && !isLeftOut.test(code))
    .map(({ name, code }) => documentedBot(name, code));
}

/** A program that is shown, as a bot. */
export function exampleBot(path: string): DocumentedBot {
  return documentedBot(path, readFileSync(join(root, path), 'utf8'));
}

function isInbox(code: string): boolean {
  // One that only looks at what another one handles, or that has no client, does nothing in a marketplace.
  return /createInbox\(\{[^]*clientFor/.test(code);
}

function documentedBot(name: string, code: string): DocumentedBot {
  const run = compiled(code);
  const bot = isInbox(code) ? (world: World) => receiving(run, world) : (world: World) => hourly(run, world);
  return { name, code, marketplace: marketplaceOf(code), bot };
}

function headingOf(text: string, at: string): string {
  const before = text.split('\n').slice(0, Number(at.split(':').at(-1)));
  return before.findLast((line) => /^#+ /.test(line))?.replace(/^#+ /, '') ?? '';
}

/** Starts the code until it has created its inbox; what follows in it goes on. */
async function receiving(run: RunCompiled, world: World): Promise<Bot> {
  const inbox = await new Promise<Inbox>((resolve, reject) => {
    run(...surroundings(world, resolve)).catch(reject);
  });
  inbox.start();
  return { callback: fetchHandler(inbox), stop: () => inbox.close(), stats: () => inbox.stats() };
}

/** Runs a program that ends, again every hour, until it has shown that the seller has revoked the application. */
async function hourly(run: RunCompiled, world: World): Promise<Bot> {
  let isRunning = false;
  const again = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run(...surroundings(world));
    } catch (error) {
      world.log(`the program fails: ${String(error)}`);
      if (error instanceof AuthenticationError) clearInterval(timer);
    }
    isRunning = false;
  };
  const timer = setInterval(() => void again(), 3_600_000);
  void again();
  return Promise.resolve({});
}

type Modules = Readonly<Record<string, unknown>>;
const never = (): Promise<never> => new Promise(() => undefined);
const nothing = (): undefined => undefined;

/** What code finds in a world: the modules that it imports, and the names that its page has introduced. */
function surroundings(world: World, onInbox: (inbox: Inbox) => void = nothing): [Modules, Modules] {
  const tokenFor = ({ user_id }: { user_id: number }): string => {
    const key = `token of ${user_id}`;
    if (!world.lasting.has(key)) world.lasting.set(key, world.marketplace.tokenFor({ user_id }));
    return String(world.lasting.get(key));
  };
  class ClientOfWorld extends SellerClient {
    constructor(options: ClientOptions) {
      super({ accessToken: tokenFor({ user_id: 7 }), ...options, baseUrl: world.baseUrl, fetch });
    }
  }
  const marketplace = {
    baseUrl: world.baseUrl,
    fetch,
    records: world.marketplace.records,
    addUser: ({ user_id = 7 } = {}) => ({ user_id }),
    addItem: () => ({ item_id: 'MLA100' }),
    addPack: () => ({ pack_id: 1, order_ids: [1] }),
    ask: () => ({ id: 1 }),
    tokenFor,
    clientFor: ({ user_id }: { user_id: number }) => world.client(user_id),
    listen: () => Promise.resolve({ url: world.baseUrl, close: nothing }),
    // What acts as the service in the code ends here.
    notifications: { subscribe: nothing, flush: never, attempts: [] },
  };
  const sdk = 'marketplace-seller-sdk';
  const modules = {
    ...entries,
    [sdk]: { ...entries[sdk], SellerClient: ClientOfWorld },
    [`${sdk}/inbox`]: {
      ...entries[`${sdk}/inbox`],
      sqliteStore: (path: string) => sqliteStore(join(world.folder, path)),
      createInbox: (options: InboxOptions) => {
        const inbox = createInbox(options);
        onInbox(inbox);
        return Object.assign(Object.create(inbox) as Inbox, { idle: never, close: never, start: nothing });
      },
      nodeHandler: nothing,
      fetchHandler: nothing,
    },
    // As a page says: in an application, the keys are in a file.
    [`${sdk}/stores`]: {
      ...entries[`${sdk}/stores`],
      sqliteStore: (path: string) => sqliteStore(join(world.folder, path)),
      memoryStore: () => sqliteStore(join(world.folder, 'outbox.db')),
    },
    [`${sdk}/testing`]: {
      FakeMarketplace: function FakeMarketplace() {
        return marketplace;
      },
    },
    'node:http': { createServer: () => ({ listen: nothing }) },
    'node:timers/promises': timers,
    zod,
  };
  const process = { env: { SELLER_TOKEN: tokenFor({ user_id: 7 }) }, once: nothing };
  return [modules, { process, marketplace, seller: world.client(7) }];
}

/** The options that the code passes to the marketplace that it creates. */
function marketplaceOf(code: string): FakeMarketplaceOptions {
  let found: FakeMarketplaceOptions = {};
  const FakeMarketplace = function FakeMarketplace(options: FakeMarketplaceOptions) {
    found = options;
    throw new Error('enough');
  };
  if (!code.includes('new FakeMarketplace({')) return found;
  const modules = { ...entries, zod, 'marketplace-seller-sdk/testing': { FakeMarketplace } };
  // The code before it runs at once.
  compiled(code)(modules, {}).catch(nothing);
  return found;
}
