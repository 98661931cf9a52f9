import type { Options } from '../options.js';

/** What the calls of `check` need, and where each comes from: the option, or an earlier call. */
export const idOptions = {
  user: { value: 'ID', text: 'user id of the seller (default: the one in the token)' },
  site: { value: 'SITE', text: 'site, e.g. MLA (default: the one in the id of an item)' },
  item: { value: 'ID', text: "item of the seller (default: of the seller's questions or listings)" },
  question: { value: 'ID', text: 'question (default: found by search)' },
  pack: { value: 'ID', text: 'pack or order with messages; the service has no search for them' },
  message: { value: 'ID', text: 'message (default: of the pack)' },
  attachment: { value: 'ID', text: 'file of a message (default: of the messages of the pack)' },
  shipment: { value: 'ID', text: 'Flex shipment with a driver; the service has no search for them' },
  service: { value: 'ID', text: "service id of a Flex subscription (default: of the seller's subscriptions)" },
  turbo: { value: 'ID', text: "service id of a Turbo subscription (default: of the seller's subscriptions)" },
} satisfies Options;

/** The kinds of ids. */
export type IdName = keyof typeof idOptions;

/** The ids with which another one may be found. */
const sources: Readonly<Partial<Record<IdName, readonly IdName[]>>> = {
  site: ['user', 'item'],
  item: ['user'],
  question: ['user'],
  service: ['user', 'site'],
  turbo: ['user', 'site'],
  message: ['pack'],
  attachment: ['pack', 'message'],
};

/** Of ids that are missing, returns those to give: the others may be found then. */
export function idsToGive(missing: readonly IdName[]): IdName[] {
  const names = Object.keys(idOptions) as IdName[];
  return names.filter((name) => missing.includes(name) && !sources[name]?.some((source) => missing.includes(source)));
}

/** Another seller, or another site, would be another check. */
const unique: readonly IdName[] = ['user', 'site'];

/** Ids that have been found or given, at most two of each kind. */
export class Ids {
  readonly #found = new Map<IdName, readonly string[]>();

  /** Adds what a response contains. Given ids, and those found before, come first. */
  add(name: IdName, values: readonly unknown[]): void {
    const known = this.#found.get(name) ?? [];
    const more = values.filter((value) => typeof value === 'string' || typeof value === 'number').map(String);
    this.#found.set(name, [...new Set([...known, ...more])].slice(0, unique.includes(name) ? 1 : 2));
  }

  /** Returns the first or the second one of each kind; the first where there is no second. */
  choice(index: 0 | 1): Partial<Record<IdName, string>> {
    return Object.fromEntries([...this.#found].map(([name, values]) => [name, values[index] ?? values[0]]));
  }
}
