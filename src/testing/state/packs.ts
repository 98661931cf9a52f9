import type { Accounts } from './accounts.js';
import { FakeMarketplaceError } from '../errors.js';

/** How the orders of a pack travel: which options of the action guide there are depends on it. */
export type ShippingMode = 'flex' | 'cross_docking' | 'drop_off' | 'fulfilment' | 'custom';

/** What a buyer bought of a seller at once: one or more orders. */
export interface Pack {
  /** `null` for an order that came alone: its own id then stands in. */
  readonly pack_id: number | null;
  readonly order_ids: readonly number[];
  readonly seller_id: number;
  readonly buyer_id: number;
  readonly site_id: string;
  readonly shipping: ShippingMode;
  readonly delivered: boolean;
  /** Autoparts and products with manufacturing time take no options of the action guide. */
  readonly exceptedCase: boolean;
  readonly inMediation: boolean;
  /** Why nothing can be written, e.g. `blocked_by_cancelled_order`; `null` while it can. */
  readonly blockedBy: string | null;
}

/** What may be said of a new pack; seller and buyer must be, the rest is made up. */
export type PackInit = Partial<Pack> & Pick<Pack, 'seller_id' | 'buyer_id'>;

/** The number under which messages of a pack travel: its `pack_id`, or its order's id. Spec: Messages, Notes. */
export function numberOf({ pack_id, order_ids }: Pack): number {
  return pack_id ?? order_ids[0] ?? 0;
}

/** Every sale on the marketplace. A `Pack` is a snapshot: `need` gives it as it is now. */
export class PackStore {
  readonly #packs = new Map<number, Pack>();
  readonly #accounts: Accounts;
  // Sixteen digits, as the service's have.
  #nextPack = 2_000_000_000_000_001;
  #nextOrder = 3_000_000_000_000_001;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Adds a sale, by custom shipping and on the way unless said otherwise. */
  add(sketch: PackInit): Pack {
    const { site_id } = this.#accounts.getOrThrow(sketch.seller_id);
    this.#accounts.getOrThrow(sketch.buyer_id);
    const pack: Pack = {
      pack_id: sketch.pack_id === undefined ? this.#nextPack++ : sketch.pack_id,
      order_ids: [this.#nextOrder++],
      site_id,
      shipping: 'custom',
      delivered: false,
      exceptedCase: false,
      inMediation: false,
      blockedBy: null,
      ...(sketch as Omit<PackInit, 'pack_id'>),
    };
    if (this.#packs.has(numberOf(pack))) throw new FakeMarketplaceError(`there is a pack ${numberOf(pack)} already`);
    this.#packs.set(numberOf(pack), pack);
    return pack;
  }

  /** All sales, the oldest first. */
  get all(): readonly Pack[] {
    return [...this.#packs.values()];
  }

  get(number: number | string): Pack | undefined {
    return this.#packs.get(Number(number));
  }

  /** The pack, which must exist. */
  getOrThrow(number: number | string): Pack {
    const pack = this.get(number);
    if (!pack)
      throw new FakeMarketplaceError(`there is no pack ${number}; add one with addPack({ seller_id, buyer_id })`);
    return pack;
  }

  /** Changes a pack, e.g. `change(pack, { blockedBy: 'blocked_by_cancelled_order' })`. */
  change(pack: Pack, change: Partial<Omit<Pack, 'pack_id' | 'order_ids' | 'seller_id' | 'buyer_id'>>): Pack {
    const changed = { ...this.getOrThrow(numberOf(pack)), ...change };
    this.#packs.set(numberOf(pack), changed);
    return changed;
  }
}
