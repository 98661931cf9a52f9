import { isObject } from '../../core/json/plain-object.js';
import type { FakeMarketplace } from '../marketplace.js';
import { numberOf } from '../state/packs.js';
import { areOfOneForm, formOf } from './id-forms.js';
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
} as const;

/** A kind of thing that requests name by its id. */
export type Thing = keyof typeof namesOf;

/** Knows which id of a fake stands for an id of a tape, and learns more from each pair of responses. */
export class TapeIds {
  readonly #masker: Masker;
  /** The ids of the fake at the start. The same id on a tape is of the same thing. */
  readonly #own: ReadonlySet<string>;
  /** Those of them that stand only for themselves, because the fake has all things that the tape asks for. */
  readonly #fixed: ReadonlySet<string>;
  /** The same, by what a masker makes of them without their numbers. */
  readonly #atStart = new Map<string, string[]>();
  readonly #known = new Map<string, string>();
  /** The ids of the fake that stand for one of the tape. */
  readonly #taken = new Set<string>();

  constructor(tape: readonly TapeExchange[], marketplace: FakeMarketplace, masker: Masker) {
    this.#masker = masker;
    const things = thingsOf(marketplace);
    this.#own = new Set([...Object.values(things).flat(), ...otherIdsOf(marketplace)]);
    for (const id of this.#own) {
      const form = formOf(id) ?? id;
      this.#atStart.set(form, [...(this.#atStart.get(form) ?? []), id]);
    }
    const asked = askedFirst(tape);
    const isOfFake = asked.length > 0 && asked.every(({ id }) => this.of(id) !== undefined);
    this.#fixed = new Set(isOfFake ? Object.values(things).flat() : []);
    this.#matchInOrder(asked, things);
  }

  /** Returns the fake's id that stands for one of the tape; `undefined` if none is known. */
  of(id: string): string | undefined {
    if (this.#own.has(id)) return id;
    const [known, seen] = [this.#known.get(id), this.#masker.originalOf(id)];
    return known ?? seen ?? this.#atStart.get(id.slice(0, -4))?.[0];
  }

  /** Whether an id of the tape stands for a masked one of the fake. What is not known yet is learnt. */
  isSame(expected: string, actual: string): boolean {
    if (expected === actual) return true;
    const [known, raw] = [this.of(expected), this.#masker.originalOf(actual)];
    if (raw === undefined || known !== undefined) return known !== undefined && known === raw;
    if (this.#taken.has(raw) || this.#fixed.has(raw) || !areOfOneForm(expected, actual)) return false;
    this.#learn(expected, raw);
    return true;
  }

  /** Returns an id of the tape as it is in the fake's masked response; itself if that is not known. */
  asMasked(id: string): string {
    const raw = this.of(id);
    return raw === undefined ? id : (this.#masker.id(raw) ?? id);
  }

  #learn(id: string, raw: string): void {
    this.#known.set(id, raw);
    this.#taken.add(raw);
  }

  /** What a tape asks for before any response has named it stands for what the fake has, in order. */
  #matchInOrder(asked: ReturnType<typeof askedFirst>, things: Readonly<Record<Thing, readonly string[]>>): void {
    for (const { id } of asked) {
      const own = this.of(id);
      if (own !== undefined) this.#taken.add(own);
    }
    for (const [thing, own] of Object.entries(things)) {
      const free = own.filter((id) => !this.#taken.has(id));
      for (const { id } of asked.filter((each) => each.thing === thing && this.of(each.id) === undefined)) {
        const next = free.shift();
        if (next !== undefined) this.#learn(id, next);
      }
    }
  }
}

/** Returns the ids of what a fake has: sellers first, and open questions first. */
function thingsOf({ accounts, items, questions, packs, flex }: FakeMarketplace): Record<Thing, string[]> {
  const sellers = new Set(items.all.map(({ seller_id }) => seller_id));
  const isOpen = new Map(questions.all.map((each) => [each.id, questions.statusOf(each) === 'UNANSWERED']));
  const first = (ids: readonly number[], isFirst: (id: number) => boolean): string[] =>
    [...ids.filter(isFirst), ...ids.filter((id) => !isFirst(id))].map(String);
  return {
    user: first(
      accounts.all.map(({ user_id }) => user_id),
      (id) => sellers.has(id),
    ),
    item: items.all.map(({ item_id }) => item_id),
    question: first([...isOpen.keys()], (id) => isOpen.get(id) === true),
    pack: packs.all.map((pack) => String(numberOf(pack))),
    service: flex.all.map(({ service_id }) => String(service_id)),
    shipment: flex.shipments.map(({ shipment_id }) => String(shipment_id)),
  };
}

/** Returns what else can be in a request: orders, messages, files, applications. */
function otherIdsOf({ accounts, packs, messages, attachments }: FakeMarketplace): string[] {
  return [
    500,
    ...accounts.bearers.flatMap(({ application_id }) => application_id ?? []),
    ...packs.all.flatMap(({ order_ids }) => order_ids),
    ...messages.all.map(({ id }) => id),
    ...attachments.all.map(({ id }) => id),
  ].map(String);
}

/** Returns the ids that successful requests have before any response does: others may be of nothing. */
function askedFirst(tape: readonly TapeExchange[]): { readonly thing: Thing; readonly id: string }[] {
  const asked = new Map<string, Thing>();
  const answered = new Set<string>();
  for (const { path, request, response, status, endpoint } of tape) {
    // A multi-get is successful also for an item that does not exist.
    const isOfExisting = status < 400 && endpoint !== 'items.status';
    for (const { thing, id } of isOfExisting
      ? thingsIn(`${decodeURIComponent(path)} ${JSON.stringify(request.value)}`)
      : [])
      if (!answered.has(id) && !asked.has(id)) asked.set(id, thing);
    collect(response.value, answered);
  }
  return [...asked].map(([id, thing]) => ({ id, thing }));
}

/** Returns the things that the text of a request names, with their ids. */
export function thingsIn(text: string): { readonly thing: Thing; readonly id: string }[] {
  return [...text.matchAll(/(?<!\w)([a-z_]{1,40})(?:\/|=|\\?"?:\s*\[?\\?"?)([\w,-]*\d[\w,-]*)/g)].flatMap(
    ([, name = '', ids = '']) => {
      const thing = (Object.keys(namesOf) as Thing[]).find((each) =>
        (namesOf[each] as readonly string[]).includes(name),
      );
      return thing === undefined ? [] : [...ids.matchAll(/[^,]+/g)].map(([id]) => ({ thing, id }));
    },
  );
}

function collect(value: unknown, ids: Set<string>): void {
  if (typeof value === 'string' || typeof value === 'number') ids.add(String(value));
  else if (Array.isArray(value)) for (const each of value) collect(each, ids);
  else if (isObject(value)) for (const each of Object.values(value)) collect(each, ids);
}
