import { defined } from '../../core/json/json.js';
import { assertSite, type Clock } from '../clock.js';
import type { Accounts } from './accounts.js';
import { assertFields, assertObject, FakeMarketplaceError } from '../errors.js';
import { EntityStore, packIdOf, type Omittable, type PackId } from './entity-store.js';
import type { MarketplaceEvents } from './events.js';
import { seededPack } from '../seed/schema.js';

/** The shipping mode of a pack. The available action guide options depend on it. */
export type ShippingMode = 'flex' | 'cross_docking' | 'drop_off' | 'fulfilment' | 'custom';

/** A sale of a seller to a buyer: one or more orders. */
export interface Pack {
  /** `null` for a single order; the order's id is used instead. */
  readonly pack_id: PackId | null;
  readonly order_ids: readonly number[];
  readonly seller_id: number;
  readonly buyer_id: number;
  readonly site_id: string;
  readonly shipping: ShippingMode;
  readonly delivered: boolean;
  /** Autoparts and products with manufacturing time, for which the action guide is not available. */
  readonly exceptedCase: boolean;
  readonly inMediation: boolean;
  /** The claim of a mediation; `null` without one. */
  readonly claim_id: number | null;
  /** The shipment of the pack; `null` without one. */
  readonly shipping_id: number | null;
  /**
   * The account of the service that stands between seller and buyer on some sites: the conversation shows it in place of
   * the buyer, and a message to the buyer's own id is not delivered; `null` without one.
   */
  readonly agent_id: number | null;
  /** When the pack was added, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When the pack was added or last changed, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Why the conversation is blocked, e.g. `blocked_by_cancelled_order`; `null` when it is open. */
  readonly blockedBy: string | null;
}

/** The fields of a new pack. Only seller and buyer are required; the others have default values. */
export type PackInit = Omittable<Omit<Pack, 'createdAt' | 'changedAt' | 'seller_id' | 'buyer_id'>> &
  Pick<Pack, 'seller_id' | 'buyer_id'>;

function packFields(): string[] {
  return Object.keys(seededPack.shape).filter((name) => name !== 'messages');
}

/** Returns the number that identifies a pack in paths: its `pack_id`, or its order's id. Spec: Messages, Notes. */
export function numberOf(pack: Pack): PackId {
  assertObject('`pack`', pack, ': what addPack() returned');
  const { pack_id, order_ids } = pack;
  return pack_id ?? (order_ids as readonly number[] | undefined)?.[0] ?? 0;
}

/** @throws {FakeMarketplaceError} when an agent has no user id */
function assertAgent(agent_id: number | null | undefined): void {
  if (agent_id === undefined || agent_id === null || (Number.isSafeInteger(agent_id) && agent_id > 0)) return;
  throw new FakeMarketplaceError(`\`agent_id\` is an integer of at least 1, not ${String(agent_id)}`);
}

/** Returns the id under which a conversation shows a user: the agent's for the buyer. */
export function shownUserId({ buyer_id, agent_id }: Pack, user_id: number): number {
  return user_id === buyer_id ? (agent_id ?? buyer_id) : user_id;
}

/** @throws {FakeMarketplaceError} when a number cannot be part of a path, or a pack has no order */
function assertNumbers({ pack_id, order_ids }: PackInit): void {
  if (order_ids?.length === 0) throw new FakeMarketplaceError('`order_ids` has at least one entry');
  const isPack = pack_id === undefined || pack_id === null || packIdOf(pack_id) !== undefined;
  const wrong = isPack ? order_ids?.find((number) => !Number.isSafeInteger(number) || number < 1) : pack_id;
  if (wrong !== undefined)
    throw new FakeMarketplaceError(`\`pack_id\` and \`order_ids\` are integers of at least 1, not ${String(wrong)}`);
}

/**
 * The packs: one per sale, by the id of the pack, or of its order if it has none. A `Pack` is a snapshot: `getOrThrow` returns its current state.
 *
 * @example
 * const pack = marketplace.packs.add({ seller_id: 7, buyer_id: 31, shipping: 'flex' });
 * marketplace.packs.change(pack, { delivered: true });
 * const id = pack.pack_id ?? 0;
 * console.log(marketplace.packs.getOrThrow(id).delivered, marketplace.packs.get(1)); // true undefined
 */
export class PackStore extends EntityStore<PackId, Pack> {
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #events: MarketplaceEvents;
  /** @internal */
  protected data = {
    entries: new Map<PackId, Pack>(),
    // Sixteen digits, like the ids of the service.
    nextPack: 2_000_000_000_000_001,
    nextOrder: 3_000_000_000_000_001,
    nextShipment: 43_000_000_001,
    nextClaim: 5_300_000_001,
  };

  /** @internal */
  constructor(accounts: Accounts, clock: Clock, events: MarketplaceEvents) {
    super('pack', () => '; add one with addPack({ seller_id, buyer_id })');
    this.#accounts = accounts;
    this.#clock = clock;
    this.#events = events;
  }

  /** Adds a sale, by default with custom shipping and not yet delivered. Its orders are events of the topic `orders_v2`. */
  add(init: PackInit): Pack {
    assertFields('a pack', init, packFields());
    const { site_id } = this.#accounts.getOrThrow(init.seller_id);
    this.#accounts.getOrThrow(init.buyer_id);
    if (init.seller_id === init.buyer_id) throw new FakeMarketplaceError('a seller cannot buy from themselves');
    assertNumbers(init);
    assertSite(init.site_id ?? site_id);
    assertAgent(init.agent_id);
    const pack: Pack = {
      order_ids: [this.data.nextOrder++],
      site_id,
      shipping: 'custom',
      delivered: false,
      exceptedCase: false,
      inMediation: false,
      claim_id: init.inMediation ? this.data.nextClaim++ : null,
      shipping_id: init.shipping_id === undefined ? this.data.nextShipment++ : init.shipping_id,
      agent_id: null,
      createdAt: this.#clock.ms,
      changedAt: this.#clock.ms,
      blockedBy: null,
      ...defined(init as Omit<PackInit, 'pack_id' | 'shipping_id'>),
      pack_id: init.pack_id === undefined ? this.#freePackId() : (packIdOf(init.pack_id) ?? null),
    };
    if (this.data.entries.has(numberOf(pack))) throw new FakeMarketplaceError(`pack ${numberOf(pack)} already exists`);
    this.data.entries.set(numberOf(pack), pack);
    for (const order_id of pack.order_ids)
      this.#events.emit({ topic: 'orders_v2', resource: `/orders/${order_id}`, user_id: pack.seller_id });
    return pack;
  }

  /** Returns a pack; an id beyond 2^53 is given by its digits. `undefined` if there is none. */
  override get(id: PackId): Pack | undefined {
    return super.get(packIdOf(id) ?? id);
  }

  /** @internal Returns the current state of a pack. @throws {FakeMarketplaceError} when there is none */
  current(pack: Pack): Pack {
    return this.getOrThrow(numberOf(pack));
  }

  /** Changes a pack, e.g. `change(pack, { blockedBy: 'blocked_by_cancelled_order' })`. */
  change(
    pack: Pack,
    change: Omittable<Omit<Pack, 'pack_id' | 'order_ids' | 'seller_id' | 'buyer_id' | 'createdAt' | 'changedAt'>>,
  ): Pack {
    assertFields('a pack', change, packFields());
    if (change.site_id !== undefined) assertSite(change.site_id);
    const current = this.current(pack);
    const claim_id = change.inMediation ? (current.claim_id ?? this.data.nextClaim++) : current.claim_id;
    const changed = { ...current, claim_id, ...defined(change), changedAt: this.#clock.ms };
    this.data.entries.set(numberOf(pack), changed);
    return changed;
  }

  #freePackId(): number {
    while (this.data.entries.has(this.data.nextPack)) this.data.nextPack += 1;
    return this.data.nextPack++;
  }
}
