import { shapeOf } from '../../core/schema/describe.js';
import { validate } from '../../core/schema/validate.js';
import * as seeded from '../seed/schema.js';
import type { SeedInit } from '../seed/schema.js';

const schemas = {
  users: seeded.seededUser,
  items: seeded.seededItem,
  questions: seeded.seededQuestion,
  blacklist: seeded.seededBlock,
  packs: seeded.seededPack,
  messages: seeded.seededMessage,
  subscriptions: seeded.seededSubscription,
  shipments: seeded.seededShipment,
  contacts: seeded.seededContact,
};

type SeenEntry = Readonly<Record<string, unknown>>;

/** The buyer of a pack that shows none. A masked id has more digits. */
const unknownBuyer = 999_999_999;

/** What a tape shows of a marketplace, as it was before the tape: what is seen first of an entry is how it was at the start. */
export class Seen {
  /** What the tape itself has made, or was shown as it was at the start, e.g. `question 1`. */
  readonly made = new Set<string>();
  /** Who has used an item. It is theirs if nothing shows another seller. */
  readonly usersOfItems = new Map<unknown, number | undefined>();
  readonly #lists = new Map<string, Map<string, SeenEntry>>();

  /** Adds what was not known of an entry, as far as a seed takes it. A message is in the list of its pack. */
  see(list: keyof typeof schemas, id: string | number, fields: SeenEntry, pack?: number): void {
    const shape = shapeOf(schemas[list]);
    const taken = Object.entries(fields).flatMap(([name, value]) => {
      const found = inEachCase(value).find((each) => validate(shape[name] ?? seeded.seed, each).success);
      return found === undefined ? [] : [[name, found] as const];
    });
    const entries = this.#lists.get(`${list} ${pack}`) ?? new Map<string, SeenEntry>();
    this.#lists.set(`${list} ${pack}`, entries);
    entries.set(String(id), { ...Object.fromEntries(taken), ...entries.get(String(id)) });
  }

  /** Returns a seed with what was shown, and with what that cannot be without. */
  seed(): SeedInit {
    const seller_id = this.#all('items').find((item) => item.seller_id)?.seller_id ?? this.#all('users')[0]?.user_id;
    if (seller_id === undefined) return {};
    const shipments = this.#all('shipments').map((each) => ({ user_id: seller_id, ...each }));
    // A shipment needs a subscription.
    for (const { user_id } of shipments) this.see('subscriptions', `${JSON.stringify(user_id)} FLEX`, { user_id });
    const messagesOf = (pack: unknown): SeenEntry[] => byTime(this.#all('messages', pack), 'sent_at');
    const content = {
      items: this.#all('items').map((each) => ({
        seller_id: this.usersOfItems.get(each.item_id) ?? seller_id,
        ...each,
      })),
      questions: byTime(this.#all('questions'), 'asked_at'),
      blacklist: this.#all('blacklist'),
      packs: this.#all('packs').map((each) => ({
        seller_id,
        buyer_id: unknownBuyer,
        ...each,
        messages: messagesOf(each.pack_id),
      })),
      flex: { subscriptions: this.#all('subscriptions'), shipments },
      contacts: this.#all('contacts'),
    };
    // The users whom the content names.
    for (const [, id = ''] of JSON.stringify(content).matchAll(/"(?:user_id|seller_id|buyer_id|from)":(\d+)/g))
      this.see('users', id, { user_id: Number(id) });
    return { users: this.#all('users'), ...content } as unknown as SeedInit;
  }

  #all(list: keyof typeof schemas, pack?: unknown): SeenEntry[] {
    return [...(this.#lists.get(`${list} ${String(pack)}`)?.values() ?? [])];
  }
}

/** An enumerated value may have come in another case. */
function inEachCase(value: unknown): unknown[] {
  if (typeof value === 'string') return [value, value.toLowerCase(), value.toUpperCase()];
  return value === null ? [] : [value];
}

function byTime(entries: readonly SeenEntry[], name: string): SeenEntry[] {
  return entries.toSorted((a, b) => String(a[name]).localeCompare(String(b[name])));
}
