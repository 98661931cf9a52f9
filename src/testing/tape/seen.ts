import type { StandardSchema } from '../../core/schema/schema.js';
import { shapeOf } from '../../core/schema/describe.js';
import { validate } from '../../core/schema/validate.js';
import * as seeded from '../seed/schema.js';
import type { SeedInit } from '../seed/schema.js';

type Entry = Readonly<Record<string, unknown>>;

/** The entries of a list of a seed, by their ids. What is seen first is how it was at the start. */
class Entries {
  readonly #schema: StandardSchema;
  readonly #entries = new Map<string | number, Entry>();

  constructor(schema: StandardSchema) {
    this.#schema = schema;
  }

  get all(): Entry[] {
    return [...this.#entries.values()];
  }

  has(id: string | number): boolean {
    return this.#entries.has(id);
  }

  /** Adds what was not known of an entry, as far as a seed takes it. */
  see(id: string | number, fields: Entry): void {
    const shape = shapeOf(this.#schema);
    const taken = Object.entries(fields).flatMap(([name, value]) => {
      const found = inEachCase(value).find((each) => validate(shape[name] ?? seeded.seed, each).success);
      return found === undefined ? [] : [[name, found] as const];
    });
    this.#entries.set(id, { ...Object.fromEntries(taken), ...this.#entries.get(id) });
  }
}

/** An enumerated value may have come in another case. */
function inEachCase(value: unknown): unknown[] {
  if (typeof value === 'string') return [value, value.toLowerCase(), value.toUpperCase()];
  return value === null ? [] : [value];
}

/** The buyer of a pack that shows none. A masked id has more digits. */
const unknownBuyer = 999_999_999;

/** What a tape shows of a marketplace, as it was before the tape. */
export class Seen {
  readonly users = new Entries(seeded.seededUser);
  readonly items = new Entries(seeded.seededItem);
  readonly questions = new Entries(seeded.seededQuestion);
  readonly blacklist = new Entries(seeded.seededBlock);
  readonly packs = new Entries(seeded.seededPack);
  readonly subscriptions = new Entries(seeded.seededSubscription);
  readonly shipments = new Entries(seeded.seededShipment);
  /** The contacts in each window of an item. */
  readonly contacts = new Map<string, readonly object[]>();
  /** Who has used an item. It is theirs if nothing shows another seller. */
  readonly usersOfItems = new Map<unknown, number | undefined>();
  /** What the tape itself has made, e.g. `question 1`. */
  readonly made = new Set<string>();
  readonly #messages = new Map<unknown, Entries>();

  messagesOf(pack_id: number): Entries {
    const messages = this.#messages.get(pack_id) ?? new Entries(seeded.seededMessage);
    this.#messages.set(pack_id, messages);
    return messages;
  }

  /** Returns a seed with what was shown, and with what that cannot be without. */
  seed(): SeedInit {
    const seller_id = this.items.all.find((item) => item.seller_id)?.seller_id ?? this.users.all[0]?.user_id;
    if (seller_id === undefined) return {};
    const shipments = this.shipments.all.map((each) => ({ user_id: seller_id, ...each }));
    // A shipment needs a subscription.
    for (const { user_id } of shipments) this.subscriptions.see(`${JSON.stringify(user_id)} FLEX`, { user_id });
    const content = {
      items: this.items.all.map((each) => ({ seller_id: this.usersOfItems.get(each.item_id) ?? seller_id, ...each })),
      questions: byTime(this.questions.all, 'asked_at'),
      blacklist: this.blacklist.all,
      packs: this.packs.all.map((each) => ({ seller_id, buyer_id: unknownBuyer, ...each, ...this.#messagesIn(each) })),
      flex: { subscriptions: this.subscriptions.all, shipments },
      contacts: [...this.contacts.values()].flat(),
    };
    // The users whom the content names.
    for (const [, id] of JSON.stringify(content).matchAll(/"(?:user_id|seller_id|buyer_id|from)":(\d+)/g))
      this.users.see(Number(id), { user_id: Number(id) });
    return { users: this.users.all, ...content } as unknown as SeedInit;
  }

  #messagesIn({ pack_id }: Entry): { readonly messages: Entry[] } {
    return { messages: byTime(this.#messages.get(pack_id)?.all ?? [], 'sent_at') };
  }
}

function byTime(entries: readonly Entry[], name: string): Entry[] {
  return entries.toSorted((a, b) => String(a[name]).localeCompare(String(b[name])));
}
