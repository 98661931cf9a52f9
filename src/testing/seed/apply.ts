import type { FakeMarketplace } from '../marketplace.js';
import { FakeMarketplaceError } from '../errors.js';
import type { Pack } from '../state/packs.js';
import { SeedError } from './schema.js';
import type { Seed, SeededPack } from './schema.js';
import { faultFrom } from './fault.js';

/** Puts everything that a seed names on a marketplace. @throws {SeedError} that names the entry which cannot be. */
export function applySeed(marketplace: FakeMarketplace, seed: Seed): void {
  const { accounts, clock, flex } = marketplace;
  if (seed.now !== undefined) clock.set(seed.now);
  each('users', seed.users, ({ token, application_id, ...user }) => {
    const { user_id } = accounts.add(said(user));
    accounts.issueToken(user_id, application_id, token);
  });
  each('items', seed.items, ({ flex: isInFlex = false, ...item }) => {
    flex.setEnabled(marketplace.addItem(said(item)), isInFlex);
  });
  each('questions', seed.questions, ({ item_id, from, text, asked_at, answer, answered_at }) => {
    const { id } = at(asked_at, () => marketplace.ask({ from: { user_id: from }, item_id, text }));
    if (answer !== undefined) at(answered_at ?? asked_at, () => marketplace.questions.answer(id, answer));
  });
  each('blacklist', seed.blacklist, ({ seller_id, user_id }) => {
    marketplace.questions.block(accounts.getOrThrow(user_id).user_id, accounts.getOrThrow(seller_id).user_id);
  });
  each('packs', seed.packs, (pack) => {
    sell(pack);
  });
  each('flex.subscriptions', seed.flex?.subscriptions, (subscription) => {
    flex.subscribe(said(subscription));
  });
  each('flex.shipments', seed.flex?.shipments, ({ user_id, driver_id }) => {
    flex.assignDriver(flex.ship({ user_id }), driver_id);
  });
  each('contacts', seed.contacts, ({ kind, item_id, ...sketch }) => {
    marketplace.contacts.record(kind, { item_id }, said(sketch));
  });
  each('faults', seed.faults, (fault) => {
    marketplace.faults.inject(faultFrom(fault));
  });

  function sell({ messages = [], ...sketch }: SeededPack): void {
    const pack = marketplace.addPack(said(sketch));
    for (const { from, text, sent_at } of messages) at(sent_at, () => writeAs(marketplace, pack, from, text));
  }

  function at<T>(moment: string | undefined, act: () => T): T {
    return moment === undefined ? act() : clock.at(moment, act);
  }
}

/** One of the two writes into their conversation, whatever its state. */
export function writeAs({ messages }: FakeMarketplace, pack: Pack, who: 'buyer' | 'seller', text: string): void {
  messages.add(pack, { from: who === 'buyer' ? pack.buyer_id : pack.seller_id, text });
}

/** Plants the entries of a list; what the marketplace says against one is said with its place. */
function each<T>(name: string, entries: readonly T[] | undefined, plantOne: (entry: T) => void): void {
  for (const [index, entry] of (entries ?? []).entries()) {
    try {
      plantOne(entry);
    } catch (error) {
      if (!(error instanceof FakeMarketplaceError)) throw error;
      throw new SeedError([`\`${name}.${index}\`: ${error.message.replace(/^FakeMarketplace: /, '')}`]);
    }
  }
}

type SeedWords<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The fields that were given: what is `undefined` would stand in for what is made up. */
function said<T extends object>(fields: T): SeedWords<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as SeedWords<T>;
}
