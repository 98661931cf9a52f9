import type { Page, Pager, RawPage } from './paging.js';

/** The largest page that the service is known to give: overlapping pages ask for no more. */
const largestPage = 100;
/** So many pages in a row that repeat the one before, although asked for further on: the service ignores the offset. */
const repeatsThatEnd = 4;

/**
 * Walks a list by offset while it changes.
 *
 * Each page after the first is asked for so that it begins with an entry that was already delivered. While it does,
 * nothing between that entry and the page's end can have been missed, whatever was inserted or removed before it. A
 * page that begins with a new entry lies too far (entries before it were removed): it is put aside and asked for
 * again nearer to the start. At the start of the walk there is nothing before, so any page will do.
 */
export async function* walk<T, Extra>(pager: Pager<T, Extra>): AsyncGenerator<Page<T, Extra>, void, undefined> {
  const seen = new Set<unknown>();
  const search = new FrontierSearch(pager.offset);
  const ahead = new Lookahead(pager);
  let limit = pager.limit;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const asked = { offset: search.at, limit };
      const raw = await ahead.take(asked);
      const entries = raw.items ?? [];
      const keys = entries.map((item) => pager.key(item));
      if (!isFirst && !search.isAtStart && !(keys.length > 0 && seen.has(keys[0]))) {
        ahead.drop();
        if (!search.tooFar()) return;
        continue;
      }
      const items = entries.filter((_, index) => !seen.has(keys[index]));
      for (const key of keys) seen.add(key);
      if (isFirst) limit = overlapping(raw.limit ?? pager.limit ?? entries.length);
      const end = isEnd(asked, entries.length, items.length, raw);
      const more = !end && (items.length > 0 ? search.forward(entries.length) : search.notFarEnough(keys));
      if (more && items.length > 0 && search.isSteady) ahead.plan(search.at, limit ?? 0, raw.total ?? 0);
      if (isFirst || items.length > 0) yield pageOf(items, asked, raw);
      if (!more) return;
    }
  } finally {
    ahead.close();
  }
}

function overlapping(size: number): number {
  return size >= largestPage ? size : size + 1;
}

function pageOf<T, Extra>(items: T[], asked: Place, raw: RawPage<T, Extra>): Page<T, Extra> {
  return {
    ...raw.extra,
    items,
    offset: asked.offset,
    limit: raw.limit ?? asked.limit ?? items.length,
    total: raw.total ?? undefined,
  };
}

/** `total` alone ends nothing: it may be wrong. An empty page does, and a short one where nothing contradicts it. */
function isEnd(asked: Place, count: number, fresh: number, raw: RawPage<unknown>): boolean {
  if (count === 0) return true;
  const size = Math.min(asked.limit ?? Infinity, raw.limit ?? Infinity);
  if (count >= size) return false;
  return typeof raw.total !== 'number' ? fresh === 0 : asked.offset + count >= raw.total;
}

interface Place {
  readonly offset: number;
  readonly limit: number | undefined;
}

/** Looks for the place in the list where the delivered entries end, while it moves. */
class FrontierSearch {
  readonly #start: number;
  /** The share of a page that vanished before the next one was asked for, as last seen. */
  #vanishing = 0;
  /** The place of the last page that brought something new, and how far the next was asked beyond it. */
  #lastAt: number;
  #reach = 0;
  /** A place known to lie too far, and how far to go back from the next such place. */
  #tooFarAt = Infinity;
  #back = 0;
  #stride = 0;
  #fruitless = 0;
  #repeats = 0;
  #lastKeys: readonly unknown[] = [];
  at: number;

  constructor(start: number) {
    this.#start = start;
    this.#lastAt = start;
    this.at = start;
  }

  get isAtStart(): boolean {
    return this.at <= this.#start;
  }

  /** Nothing suggests that the list moves: pages may be asked for ahead. */
  get isSteady(): boolean {
    return this.#vanishing === 0;
  }

  /** The page brought new entries: go on to its last entry, less what is expected to vanish meanwhile. */
  forward(count: number): boolean {
    if (this.#reach > 0) this.#vanishing = Math.min(1, Math.max(0, 1 - (this.at - this.#lastAt) / this.#reach));
    this.#lastAt = this.at;
    this.#reach = Math.max(count - 1, 1);
    this.#begin();
    this.at = Math.max(this.#start, this.at + Math.floor((count - 1) * (1 - this.#vanishing)));
    return true;
  }

  /** The page began beyond the frontier: go back, twice as far each time. `false`: there is nowhere left to look. */
  tooFar(): boolean {
    this.#tooFarAt = this.at;
    this.#back = Math.max(this.#reach, this.#back * 2);
    this.#stride = 0;
    this.at = Math.max(this.#start, this.at - this.#back);
    return this.#mayGoOn();
  }

  /** The page held nothing new: go on to its last entry, and then ever further. `false`: it will not end. */
  notFarEnough(keys: readonly unknown[]): boolean {
    this.#repeats = sameKeys(keys, this.#lastKeys) ? this.#repeats + 1 : 1;
    this.#lastKeys = keys;
    const last = this.at + Math.max(keys.length - 1, 1);
    const further = last + this.#stride;
    this.#stride = this.#stride === 0 ? keys.length : this.#stride * 2;
    if (further >= this.#tooFarAt) {
      this.#stride = 0;
      this.#back = 0;
    }
    this.at = further < this.#tooFarAt ? further : last;
    this.#vanishing = 0;
    return this.#repeats < repeatsThatEnd && this.#mayGoOn();
  }

  #begin(): void {
    this.#tooFarAt = Infinity;
    this.#back = 0;
    this.#stride = 0;
    this.#fruitless = 0;
    this.#repeats = 0;
    this.#lastKeys = [];
  }

  /** A search that finds nothing for so long is in a list that no longer makes sense. */
  #mayGoOn(): boolean {
    this.#fruitless += 1;
    return this.#fruitless < 64;
  }
}

function sameKeys(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** Pages asked for before they are read. */
class Lookahead<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #pages = new Map<number, Promise<RawPage<T, Extra>>>();
  readonly #closing = new AbortController();

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  /** The page at a place: the one asked for ahead, or asked for now. */
  take(place: Place): Promise<RawPage<T, Extra>> {
    const planned = this.#pages.get(place.offset);
    this.#pages.delete(place.offset);
    return planned ?? this.#pager.fetch(place);
  }

  /** Asks for the pages that follow if the list holds still; nothing past its end. */
  plan(from: number, limit: number, total: number): void {
    const step = Math.max(limit - 1, 1);
    for (let offset = from, count = 0; count < this.#pager.prefetch && offset + 1 < total; offset += step, count += 1) {
      if (this.#pages.has(offset)) continue;
      const page = this.#pager.fetch({ offset, limit }, this.#closing.signal);
      // A page that nobody takes may fail unheard.
      page.catch(() => undefined);
      this.#pages.set(offset, page);
    }
  }

  /** The list has moved: what was asked for ahead is of no use. */
  drop(): void {
    this.#pages.clear();
  }

  close(): void {
    if (this.#pages.size > 0) this.#closing.abort();
    this.#pages.clear();
  }
}
