/** Where a page was asked for, and how many entries at most. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number | undefined;
}

/** What a page looked like: its entries in order, each delivered before or not, and what the service said of it. */
export interface ObservedPage {
  readonly keys: readonly unknown[];
  readonly known: readonly boolean[];
  readonly total: number | null | undefined;
  readonly limit: number | null | undefined;
}

/** What a page is good for: it has news, or it helped to find the place, or there is nothing left to find. */
export type PageStep = 'news' | 'none' | 'end';

/** So many pages in a row with the same entries, although asked for ever further on: the service ignores the offset. */
const repeatsThatEnd = 4;
/** So many pages in a row without news: the list no longer makes sense. A search of a list that does takes a few. */
const fruitlessThatEnd = 64;

/**
 * Where in a list the delivered entries end, while the list moves.
 *
 * The one rule: a page counts only if it is anchored, that is, if it begins with an entry that was delivered before.
 * Then nothing that stayed in the list can lie unread between the delivered entries and the page, whatever was inserted
 * or removed meanwhile. Everything else here only finds an anchored page that has news with few requests:
 *
 * - the next page is asked for at the last delivered entry, less what the page before lost until it was followed;
 * - a page that is not anchored lies too far: go back, twice as far each time;
 * - an anchored page without news lies not far enough: go on, twice as far each time;
 * - with a bound on either side, halve.
 *
 * Before the start of the walk nothing is looked for, so a page at the start needs no anchor.
 */
export class OffsetTracker {
  readonly #start: number;
  /** The page with news before this search: the place of its last entry, how many were new, the list's length then. */
  #last = 0;
  #news = 0;
  #total: number | null | undefined;
  /** The share of a page's news that was removed before the next page was asked for, as last seen. */
  #shrinkRate = 0;
  /** The longest page so far: a shorter one without a reason is the end of the list. */
  #longest = 0;
  /** This search: a place known to be delivered, one known to be too far, and the next leaps. */
  #delivered = -1;
  #tooFar = Infinity;
  #onward = 0;
  #back = 0;
  /** The last page held nothing new: the search goes on from it. */
  #isBehind = false;
  /** The place right after a page of which every entry was known: nothing lies between, so no anchor is needed. */
  #adjacent = -1;
  #fruitless = 0;
  /** How often the same page came, and from where on it would count as another time. */
  #repeats = 0;
  #repeatsFrom = 0;
  #keys: readonly unknown[] = [];
  /** Where to ask next. */
  offset: number;

  constructor(start: number) {
    this.#start = start;
    this.offset = start;
  }

  /** The next page is expected to begin with an entry that was delivered before. */
  get expectsOverlap(): boolean {
    return this.offset !== this.#start || this.isSteady || this.#isBehind;
  }

  /** Nothing suggests that the list moves: pages may be asked for ahead. */
  get isSteady(): boolean {
    return this.#shrinkRate === 0;
  }

  /** Reads a page that was asked for at `offset`, and moves on to the next place to ask at. */
  observe(asked: PageRequest, sight: ObservedPage): PageStep {
    const { known } = sight;
    const { offset } = asked;
    const needsNoAnchor = offset === this.#start || offset === this.#adjacent;
    this.#adjacent = -1;
    this.#isBehind = false;
    this.#longest = Math.max(this.#longest, known.length);
    if (known.length === 0) return needsNoAnchor ? 'end' : this.#stepBack(offset, sight.total);
    if (!needsNoAnchor && known[0] === false) return this.#stepBack(offset, sight.total);
    const firstNew = known.indexOf(false);
    return firstNew < 0 ? this.#stepForward(asked, sight) : this.#found(asked, sight, offset + firstNew);
  }

  #found(asked: PageRequest, sight: ObservedPage, firstNew: number): PageStep {
    const lost = this.#last + 1 - firstNew;
    this.#shrinkRate = this.#news === 0 ? 0 : Math.min(1, Math.max(0, lost / this.#news));
    this.#last = asked.offset + sight.keys.length - 1;
    this.#news = this.#last + 1 - firstNew;
    this.#total = sight.total;
    this.#restart();
    this.#fruitless = 0;
    this.#repeats = 0;
    this.#keys = [];
    this.#moveTo(this.#last - this.#expectedLoss());
    return isLast(asked, sight) ? 'end' : 'news';
  }

  /** Going too far costs a request, not going far enough a few entries: where some entries vanish, expect more to. */
  #expectedLoss(): number {
    const expected = this.#shrinkRate * this.#news;
    const spread = Math.sqrt(expected * (1 - this.#shrinkRate));
    return Math.ceil(expected + spread);
  }

  #stepBack(offset: number, total: ObservedPage['total']): PageStep {
    if (this.#delivered >= offset) this.#restart();
    // By so much the list has shrunk, if the service can be believed; if not, the search goes on from there.
    const shrunk = (this.#total ?? 0) - (total ?? Infinity);
    const likely = this.#back === 0 && shrunk > 0 ? this.#last - shrunk : offset;
    this.#tooFar = offset;
    this.#back = likely < offset ? offset - likely : Math.max(this.#news - 1, this.#back * 2, 1);
    this.#moveTo(Math.max(offset - this.#back, this.#middle()));
    return this.#none();
  }

  #stepForward(asked: PageRequest, sight: ObservedPage): PageStep {
    const { keys, total } = sight;
    const after = asked.offset + keys.length;
    if (!isFull(asked, sight, this.#longest)) {
      // The list ends with this page, unless the service says that more follows: then look right behind it.
      if (typeof total !== 'number' || total <= after) return 'end';
      return this.#lookBehind(after);
    }
    this.#isBehind = true;
    this.#countRepeats(asked.offset, keys);
    if (this.#repeats >= repeatsThatEnd) return 'end';
    // Of one entry asked for, one came: with two, they can overlap. Of two, one came: this service gives no more.
    if (keys.length === 1 && asked.limit !== 1) return this.#lookBehind(after);
    if (after - 1 >= this.#tooFar) this.#restart();
    this.#delivered = after - 1;
    const further = this.#delivered + this.#onward;
    this.#onward = Math.max(keys.length, this.#onward * 2);
    this.#moveTo(further < this.#tooFar ? further : this.#middle());
    return this.#none();
  }

  /** Only pages that could not overlap count: others are alike because they were asked for at the same place. */
  #countRepeats(offset: number, keys: readonly unknown[]): void {
    const isRepeat = sameKeys(keys, this.#keys);
    if (isRepeat && offset < this.#repeatsFrom) return;
    this.#repeats = isRepeat ? this.#repeats + 1 : 1;
    this.#keys = keys;
    this.#repeatsFrom = offset + keys.length;
  }

  #lookBehind(after: number): PageStep {
    this.#adjacent = after;
    this.#moveTo(after);
    return this.#none();
  }

  /** Halfway between what is delivered and what is too far; nowhere while one of them is not known. */
  #middle(): number {
    if (this.#delivered < 0 || this.#tooFar === Infinity) return this.#delivered;
    return Math.floor((this.#delivered + this.#tooFar) / 2);
  }

  #moveTo(offset: number): void {
    this.offset = Math.max(this.#start, offset);
  }

  /** Forgets the bounds: they are of a list that has moved since. */
  #restart(): void {
    this.#delivered = -1;
    this.#tooFar = Infinity;
    this.#onward = 0;
    this.#back = 0;
  }

  #none(): PageStep {
    this.#fruitless += 1;
    return this.#fruitless < fruitlessThatEnd ? 'none' : 'end';
  }
}

/** A page that is as long as was asked for, or as long as this service ever gives. */
function isFull({ limit: asked }: PageRequest, { keys, limit }: ObservedPage, longest: number): boolean {
  if (keys.length >= Math.min(asked ?? Infinity, limit ?? Infinity)) return true;
  return keys.length > 1 && keys.length === longest;
}

/** `total` alone ends nothing: it may be wrong. A page that the service itself calls short does, if `total` agrees. */
function isLast(asked: PageRequest, { keys, total, limit }: ObservedPage): boolean {
  if (typeof limit !== 'number' || keys.length >= Math.min(limit, asked.limit ?? Infinity)) return false;
  return total === asked.offset + keys.length;
}

function sameKeys(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
