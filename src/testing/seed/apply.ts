import { defined, isObject } from '../../core/json/json.js';
import { FakeMarketplaceError, inField, readAs } from '../errors.js';
import type { Fault, Faults } from '../http/faults.js';
import type { Operations } from '../operations/operations.js';
import { applySettings } from '../settings.js';
import type { Pack } from '../state/packs.js';
import { checkpoint, setNextIds, type Stores } from '../state/stores.js';
import { moduleSeed, seededPack, type Seed, type SeededFault, type SeededPack, type SeedOf } from './schema.js';

/**
 * Adds everything in a seed to a marketplace. When an entry is invalid, nothing is added.
 *
 * @throws {FakeMarketplaceError} that names each invalid entry
 */
export function applySeed(stores: Stores, operations: Operations, faults: Faults, init: SeedOf): void {
  const seed = readAs(moduleSeed, init);
  const valid: Fault[] = [];
  const [restore, restoreOperations] = [checkpoint(stores), operations.checkpoint()];
  const settings = { ...stores.settings };
  try {
    stores.events.transaction(() => {
      each('operations', seed.operations, (own) => operations.seed(own));
      // Before the content, whose moderation may depend on them.
      inField('settings', () => applySettings(stores.settings, seed.settings ?? {}));
      addAll(stores, seed);
      each('faults', seed.faults, (seeded) => {
        const fault = faultFrom(seeded);
        faults.assertValid(fault);
        valid.push(fault);
      });
    });
  } catch (error) {
    restore();
    restoreOperations();
    Object.assign(stores.settings, settings);
    throw error;
  }
  for (const fault of valid) faults.inject(fault);
}

function addAll(stores: Stores, seed: Seed): void {
  const { accounts, clock, contacts, flex, items, questions, records } = stores;
  if (seed.now !== undefined) clock.set(seed.now);
  each('users', seed.users, ({ token, application_id, ...user }) => {
    const { user_id } = accounts.add(defined(user));
    accounts.issueToken(user_id, application_id, token);
  });
  each('items', seed.items, ({ flex: isInFlex = false, ...item }) => {
    flex.setEnabled(items.add(defined(item)), isInFlex);
  });
  each('questions', seed.questions, ({ question_id, item_id, from, text, asked_at, answer, answered_at, ...marks }) => {
    const { user_id } = accounts.getOrThrow(from);
    if (question_id !== undefined) setNextQuestion(question_id);
    const { id } = at(asked_at, () => questions.add(items.getOrThrow(item_id), user_id, text, marks));
    if (answer !== undefined) at(answered_at ?? asked_at, () => questions.answer(id, answer));
  });
  each('blacklist', seed.blacklist, ({ seller_id, user_id }) => {
    questions.block(accounts.getOrThrow(user_id).user_id, accounts.getOrThrow(seller_id).user_id);
  });
  each('packs', seed.packs, (sale) => addSale(stores, sale));
  each('flex.subscriptions', seed.flex?.subscriptions, (subscription) => {
    flex.subscribe(defined(subscription));
  });
  each('flex.shipments', seed.flex?.shipments, ({ user_id, driver_id }) => {
    flex.assignDriver(flex.ship({ user_id }), driver_id);
  });
  each('contacts', seed.contacts, ({ kind, item_id, ...init }) => {
    contacts.record(kind, { item_id }, defined(init));
  });
  for (const [name, table] of Object.entries(seed.records ?? {})) {
    if (!isObject(table)) throw new FakeMarketplaceError(`\`records.${name}\` takes an object of entries by their id`);
    for (const [id, entry] of Object.entries(table)) records.of(name).set(id, entry);
  }

  function setNextQuestion(question_id: number): void {
    if (questions.get(question_id)) throw new FakeMarketplaceError(`question ${question_id} already exists`);
    setNextIds(stores, { question_id });
  }

  function at<T>(time: string | undefined, run: () => T): T {
    return time === undefined ? run() : clock.at(time, run);
  }
}

/** Adds a sale with its messages: all of it or nothing. @throws {FakeMarketplaceError} that names the invalid field */
export function addSaleWithMessages(stores: Stores, init: object): Pack {
  const sale = readAs(seededPack, init);
  const restore = checkpoint(stores);
  try {
    return stores.events.transaction(() => addSale(stores, sale));
  } catch (error) {
    restore();
    throw error;
  }
}

function addSale({ clock, messages, packs }: Stores, { messages: seeded = [], ...init }: SeededPack): Pack {
  const pack = packs.add(defined(init));
  for (const { from, text, sent_at } of seeded) {
    const add = (): unknown => messages.add(pack, { from: senderOf(pack, from), text });
    if (sent_at === undefined) add();
    else clock.at(sent_at, add);
  }
  return pack;
}

/** Returns the user id of the buyer or the seller of a pack. */
export function senderOf({ buyer_id, seller_id }: Pack, sender: 'buyer' | 'seller'): number {
  return sender === 'buyer' ? buyer_id : seller_id;
}

/** Adds the entries of a list. An error names the path of its entry. */
function each<T>(name: string, entries: readonly T[] | undefined, add: (entry: T) => unknown): void {
  for (const [index, entry] of (entries ?? []).entries()) {
    try {
      add(entry);
    } catch (error) {
      if (!(error instanceof FakeMarketplaceError)) throw error;
      throw new FakeMarketplaceError(`\`${name}.${index}\`: ${error.messages.join('; ')}`);
    }
  }
}

/** Converts a seeded fault. @throws {FakeMarketplaceError} when no server can send it */
export function faultFrom({ headers, match, ...rest }: SeededFault): Fault {
  const fault: Fault = {
    ...rest,
    // JSON has no regular expressions, so `match.body` is a text or a part of the JSON body.
    match: match as Fault['match'],
    headers: headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
  assertSendable(fault);
  return fault;
}

/** @throws {FakeMarketplaceError} when no server can send such a response */
function assertSendable({ status, body, headers = {} }: Fault): void {
  try {
    new Response(body === undefined ? null : '', { status: status ?? 200, headers });
  } catch {
    throw new FakeMarketplaceError(
      'the fault cannot be sent: `status` is from 200 to 599, 204 and 304 have no `body`, `headers` are HTTP headers',
    );
  }
}
