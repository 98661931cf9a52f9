import type { FakeMarketplace } from '../marketplace.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Pack } from '../state/packs.js';
import { SeedError } from './schema.js';
import type { Seed, SeededPack } from './schema.js';
import { faultFrom } from './fault.js';

/** Adds everything in a seed to a marketplace. @throws {SeedError} that names the invalid entry */
export function applySeed(marketplace: FakeMarketplace, seed: Seed): void {
  const { accounts, clock, flex } = marketplace;
  if (seed.now !== undefined) clock.set(seed.now);
  each('users', seed.users, ({ token, application_id, ...user }) => {
    const { user_id } = accounts.add(defined(user));
    accounts.issueToken(user_id, application_id, token);
  });
  each('items', seed.items, ({ flex: isInFlex = false, ...item }) => {
    flex.setEnabled(marketplace.addItem(defined(item)), isInFlex);
  });
  each('questions', seed.questions, ({ item_id, from, text, asked_at, answer, answered_at }) => {
    const { id } = at(asked_at, () => marketplace.ask({ from: { user_id: from }, item_id, text }));
    if (answer !== undefined) at(answered_at ?? asked_at, () => marketplace.questions.answer(id, answer));
  });
  each('blacklist', seed.blacklist, ({ seller_id, user_id }) => {
    marketplace.questions.block(accounts.getOrThrow(user_id).user_id, accounts.getOrThrow(seller_id).user_id);
  });
  each('packs', seed.packs, (pack) => {
    addPack(pack);
  });
  each('flex.subscriptions', seed.flex?.subscriptions, (subscription) => {
    flex.subscribe(defined(subscription));
  });
  each('flex.shipments', seed.flex?.shipments, ({ user_id, driver_id }) => {
    flex.assignDriver(flex.ship({ user_id }), driver_id);
  });
  each('contacts', seed.contacts, ({ kind, item_id, ...init }) => {
    marketplace.contacts.record(kind, { item_id }, defined(init));
  });
  each('faults', seed.faults, (fault) => {
    marketplace.faults.inject(faultFrom(fault));
  });

  function addPack({ messages = [], ...init }: SeededPack): void {
    const pack = marketplace.addPack(defined(init));
    for (const { from, text, sent_at } of messages) at(sent_at, () => writeAs(marketplace, pack, from, text));
  }

  function at<T>(time: string | undefined, run: () => T): T {
    return time === undefined ? run() : clock.at(time, run);
  }
}

/** Adds a message of the buyer or the seller, whatever the status of the conversation. */
export function writeAs({ messages }: FakeMarketplace, pack: Pack, sender: 'buyer' | 'seller', text: string): void {
  messages.add(pack, { from: sender === 'buyer' ? pack.buyer_id : pack.seller_id, text });
}

/** Adds the entries of a list. An error names the path of its entry. */
function each<T>(name: string, entries: readonly T[] | undefined, add: (entry: T) => void): void {
  for (const [index, entry] of (entries ?? []).entries()) {
    try {
      add(entry);
    } catch (error) {
      if (!(error instanceof FakeMarketplaceError)) throw error;
      throw new SeedError([`\`${name}.${index}\`: ${error.message.replace(/^FakeMarketplace: /, '')}`]);
    }
  }
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops `undefined` fields, which would replace default values. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
