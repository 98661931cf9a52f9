import type { FakeMarketplace } from '../marketplace.js';
import { numberOf } from '../state/packs.js';
import type { Kind } from './conventions.js';
import { areOfOneForm, formOf } from './mask-text.js';
import type { Masker } from './mask.js';
import type { TapeExchange } from './tape.js';

/** The names under which requests have the id of each kind of thing. */
const namesOf = {
  user: ['users', 'sellers', 'user_id', 'seller_id'],
  item: ['items', 'item', 'item_id', 'ids'],
  question: ['questions', 'question_id'],
  pack: ['packs', 'pack_id'],
  service: ['services', 'service_id'],
  shipment: ['shipments', 'shipment_id'],
};

/** A kind of thing that requests name by its id. */
export type Thing = keyof typeof namesOf;

/** A thing that a request names. */
interface ThingId {
  readonly thing: Thing;
  readonly id: string;
}

/** Knows which id, or secret, of a fake stands for one of a tape, and learns more from each pair of responses. */
export class TapeIds {
  readonly #masker: Masker;
  /** The ids of the fake at the start. The same id on a tape is of the same thing. */
  readonly #own: ReadonlySet<string>;
  /** The same, by what a masker makes of them without their numbers. */
  readonly #byForm = new Map<string, string>();
  /** Those that stand only for themselves, because the fake has all things that the tape asks for. */
  readonly #fixed: ReadonlySet<string>;
  readonly #known = new Map<string, string>();
  /** The ids of the fake that stand for one of the tape. */
  readonly #taken = new Set<string | undefined>();

  constructor(tape: readonly TapeExchange[], marketplace: FakeMarketplace, masker: Masker) {
    this.#masker = masker;
    const things = thingsOf(marketplace);
    const own = Object.values(things).flat();
    this.#own = new Set([...own, ...otherIdsOf(marketplace)]);
    for (const id of [...this.#own].reverse()) this.#byForm.set(formOf(id) ?? id, id);
    const asked = askedFirst(tape);
    for (const { id } of asked) this.#taken.add(this.of(id));
    this.#fixed = new Set(asked.length > 0 && !this.#taken.has(undefined) ? own : []);
    // What a tape asks for before any response has named it stands for what the fake has, in order.
    for (const { thing, id } of asked) {
      const next = things[thing].find((each) => !this.#taken.has(each));
      if (next !== undefined && this.of(id) === undefined) this.#learn(id, next);
    }
  }

  /** Returns the fake's id that stands for one of the tape; `undefined` if none is known. */
  of(id: string): string | undefined {
    if (this.#own.has(id)) return id;
    return this.#known.get(id) ?? this.#masker.originalOf(id) ?? this.#byForm.get(id.slice(0, -4));
  }

  /** Returns the fake's secret that stands for the label of one; `undefined` if none is known. */
  secretOf(label: string): string | undefined {
    return this.#known.get(label);
  }

  /** Returns what stands in the fake for a value of a tape: for an id, or a text with ids, and for the label of a secret. */
  unmasked(value: string | number, kinds: readonly Kind[]): string | number {
    const text = String(value);
    if (kinds.includes('secret')) return this.secretOf(text) ?? text;
    if (!kinds.some((kind) => kind === 'id' || kind === 'link' || kind === 'query document')) return value;
    const parts = text.split(kinds.includes('query document') ? /\b(\d+)\b/ : /([,/?&=])/);
    const own = parts.map((part) => this.of(part) ?? part).join('');
    return typeof value === 'number' ? Number(own) : own;
  }

  /** Whether an id, or a secret, of the tape stands for a masked one of the fake. What is not known yet is learnt. */
  isSame(expected: string, actual: string): boolean {
    const raw = this.#masker.originalOf(actual);
    // Each secret is made anew.
    if (expected.startsWith('secret-'))
      return raw !== undefined && this.#learn(expected, this.secretOf(expected) ?? raw);
    if (expected === actual) return true;
    const known = this.of(expected);
    if (raw === undefined || known !== undefined) return known !== undefined && known === raw;
    if (this.#taken.has(raw) || this.#fixed.has(raw) || !areOfOneForm(expected, actual)) return false;
    return this.#learn(expected, raw);
  }

  /** Returns an id of the tape as it is in the fake's masked response; itself if that is not known. */
  asMasked(id: string): string {
    const raw = this.of(id);
    return raw === undefined ? id : (this.#masker.id(raw) ?? id);
  }

  /** Names what a request asks for and the fake does not have. */
  lacking(exchange: TapeExchange): string | undefined {
    const found = thingsAsked(exchange).find(({ id }) => this.of(id) === undefined && /\d{4}/.test(id));
    return (
      found && `the fake has no ${found.thing} that stands for ${found.id}; \`fake seed-from\` makes a seed with it`
    );
  }

  #learn(id: string, raw: string): true {
    this.#known.set(id, raw);
    this.#taken.add(raw);
    return true;
  }
}

/** Returns the ids of what a fake has: sellers first, and open questions first. */
function thingsOf({ accounts, items, questions, packs, flex }: FakeMarketplace): Record<Thing, string[]> {
  const sellers = new Set(items.all.map(({ seller_id }) => seller_id));
  const isAnswered = new Map(questions.all.map((each) => [each.id, Number(questions.statusOf(each) !== 'UNANSWERED')]));
  const users = accounts.all.map(({ user_id }) => user_id);
  return {
    user: users.sort((a, b) => Number(sellers.has(b)) - Number(sellers.has(a))).map(String),
    item: items.all.map(({ item_id }) => item_id),
    question: [...isAnswered].sort(([, a], [, b]) => a - b).map(([id]) => String(id)),
    pack: packs.all.map((pack) => String(numberOf(pack))),
    service: flex.all.map(({ service_id }) => String(service_id)),
    shipment: flex.shipments.map(({ shipment_id }) => String(shipment_id)),
  };
}

/** Returns what else can be in a request: applications, orders, messages, files. */
function otherIdsOf({ accounts, packs, messages, attachments }: FakeMarketplace): string[] {
  const applications = accounts.bearers.flatMap(({ application_id }) => application_id ?? []);
  const entries = [...messages.all, ...attachments.all].map(({ id }) => id);
  return [500, ...applications, ...packs.all.flatMap(({ order_ids }) => order_ids), ...entries].map(String);
}

/** Returns the ids that successful requests have before any response does: others may be of nothing. */
function askedFirst(tape: readonly TapeExchange[]): readonly ThingId[] {
  const asked = new Map<string, ThingId>();
  const answered = new Set<string>();
  for (const exchange of tape) {
    // A multi-get is successful also for an item that does not exist.
    const isOfExisting = exchange.status < 400 && exchange.endpoint !== 'items.status';
    for (const thing of isOfExisting ? thingsAsked(exchange) : [])
      if (!answered.has(thing.id) && !asked.has(thing.id)) asked.set(thing.id, thing);
    for (const [number, id = number] of JSON.stringify(exchange.response.value).matchAll(/"([^"]*)"|\d+/g))
      answered.add(id);
  }
  return [...asked.values()];
}

/** Returns the things that a request names. */
export function thingsAsked({ path, request }: TapeExchange): ThingId[] {
  const text = `${decodeURIComponent(path)} ${JSON.stringify(request.value)}`;
  const named = text.matchAll(/(?<!\w)([a-z_]{1,40})(?:\/|=|\\?"?:\s*\[?\\?"?)([\w,-]*\d[\w,-]*)/g);
  return [...named].flatMap(([, name = '', ids = '']) => {
    const thing = (Object.keys(namesOf) as Thing[]).find((each) => namesOf[each].includes(name));
    return thing === undefined ? [] : [...ids.matchAll(/[^,]+/g)].map(([id]) => ({ thing, id }));
  });
}
