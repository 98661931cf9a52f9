import type { PageRequest } from './page.js';

/** A page as the tracker sees it: its entries in order, each delivered before or not, and what the service stated. */
export interface ObservedPage {
  readonly keys: readonly unknown[];
  readonly known: readonly boolean[];
  /** How many entries the page had, also those that could not be read. */
  readonly length: number;
  readonly total: number | null | undefined;
  readonly limit: number | null | undefined;
}

/**
 * What a page led to. `advance`: it has new entries, the tracker moves on · `search`: its entries cannot be delivered,
 * it only helped to find the place · `end`: nothing follows it.
 */
export type PageStep = 'advance' | 'search' | 'end';

/** This many equal pages in a row, although requested ever further on: the service ignores the offset. */
const maxRepeatedPages = 4;
/** This many pages in a row without new entries: the list makes no sense. A search in one that does takes a few. */
const maxSearchPages = 64;

/**
 * Tracks where in a list the delivered entries end, while the list changes.
 *
 * The one rule: a page counts only if it is anchored, that is, if it begins with an entry that was delivered before.
 * Then no entry that stayed in the list can lie unread between the delivered entries and the page, whatever was inserted
 * or removed meanwhile. Everything else here only finds an anchored page with new entries in few requests:
 *
 * - the next page is requested at the last delivered entry, less what the page before lost until it was followed;
 * - a page that is not anchored lies too far: step back, twice as far each time;
 * - an anchored page without new entries lies not far enough: step forward, twice as far each time;
 * - with a bound on either side, halve.
 *
 * Entries before the start are not searched for, so a page at the start needs no anchor.
 *
 * No page is requested with a larger limit than the caller's: the anchor takes the place of one entry. A page of one entry
 * has no place for it. It counts if it is right behind the delivered entries, as far as the total shows.
 */
export class OffsetTracker {
  readonly #start: number;
  /** The last page with new entries: the offset of its last entry, how many were new, the list's length then. */
  #lastOffset = 0;
  #newCount = 0;
  #total: number | null | undefined;
  /** The share of a page's new entries that was removed before the next page was requested, as last seen. */
  #shrinkRate = 0;
  /** The longest page so far: a shorter one without a reason is the end of the list. */
  #longest = 0;
  /** This search: an offset known to be delivered, one known to be too far, and the next steps. */
  #delivered = -1;
  #tooFar = Infinity;
  #forwardStep = 0;
  #backStep = 0;
  /** The offset right after a page of which every entry was known: nothing lies between, so no anchor is needed. */
  #adjacent = -1;
  #end: number;
  /** The keys of the last anchored page. The same page at another offset continues nothing. */
  #lastKeys: readonly unknown[] = [];
  /** An anchored page was not where it was expected. */
  #hasMoved = false;
  #searchPages = 0;
  /** How often the same page came, and the offset from which on it would count again. */
  #repeatedPages = 0;
  #repeatsFrom = 0;
  #keys: readonly unknown[] = [];
  /** The offset of the next request. */
  offset: number;

  constructor(start: number) {
    this.#start = start;
    this.#end = start;
    this.offset = start;
  }

  /** Nothing suggests that the list changes: pages may be prefetched. */
  get isSteady(): boolean {
    return this.#shrinkRate === 0;
  }

  /** Entries were inserted or removed before the delivered ones. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** The offset after the last page that continued what was delivered before. */
  get end(): number {
    return this.#end;
  }

  /** Reads the page of a request, and moves `offset` to the next one. */
  observe(request: PageRequest, page: ObservedPage): PageStep {
    const { known } = page;
    const { offset } = request;
    const adjacent = this.#adjacent < 0 ? -1 : this.#adjacent - this.#shrunkBy(page.total);
    const needsNoAnchor = offset === this.#start || offset === adjacent;
    this.#longest = Math.max(this.#longest, page.length);
    if (adjacent >= 0 && !needsNoAnchor && known[0] === false) return this.#lookBehind(adjacent, page.total);
    this.#adjacent = -1;
    if (page.length === 0) return needsNoAnchor ? 'end' : this.#stepBack(offset, page.total);
    if (!needsNoAnchor && known[0] === false) return this.#stepBack(offset, page.total);
    if (known.length === 0 || !hasSameKeys(page.keys, this.#lastKeys)) this.#end = offset + page.length;
    this.#lastKeys = page.keys;
    const firstNew = known.indexOf(false);
    return firstNew < 0 ? this.#stepForward(request, page) : this.#advance(request, page, offset + firstNew);
  }

  #advance(request: PageRequest, page: ObservedPage, firstNew: number): PageStep {
    const lost = this.#lastOffset + 1 - firstNew;
    this.#shrinkRate = this.#newCount === 0 ? 0 : Math.min(1, Math.max(0, lost / this.#newCount));
    this.#hasMoved ||= page.known[0] === true && lost !== 0;
    this.#lastOffset = request.offset + page.length - 1;
    this.#newCount = this.#lastOffset + 1 - firstNew;
    this.#total = page.total;
    this.#resetSearch();
    this.#searchPages = 0;
    this.#repeatedPages = 0;
    this.#keys = [];
    this.#moveTo(this.#lastOffset - this.#expectedLoss());
    if (page.length === 1) this.#expectBehind(request.limit === 1 ? this.#lastOffset + 1 : -1);
    return isLastPage(request, page) ? 'end' : 'advance';
  }

  /** A page of one entry cannot begin with a delivered one and have a new one. */
  #expectBehind(after: number): void {
    this.#adjacent = after;
    if (after >= 0) this.#moveTo(after - this.#expectedLoss());
  }

  /** Too far costs a request, not far enough a few entries: where some entries disappear, expect more to. */
  #expectedLoss(): number {
    const expected = this.#shrinkRate * this.#newCount;
    const spread = Math.sqrt(expected * (1 - this.#shrinkRate));
    return Math.ceil(expected + spread);
  }

  #stepBack(offset: number, total: ObservedPage['total']): PageStep {
    if (this.#delivered >= offset) this.#resetSearch();
    // The list has shrunk by this much, if the service's total is right; if not, the search goes on from there.
    const shrunkBy = this.#shrunkBy(total);
    const likely = this.#backStep === 0 && shrunkBy > 0 ? this.#lastOffset - shrunkBy : offset;
    this.#tooFar = offset;
    this.#backStep = likely < offset ? offset - likely : Math.max(this.#newCount - 1, this.#backStep * 2, 1);
    this.#moveTo(Math.max(offset - this.#backStep, this.#middle()));
    return this.#search();
  }

  #stepForward(request: PageRequest, page: ObservedPage): PageStep {
    const { keys, total, length } = page;
    const after = request.offset + length;
    if (!isFullPage(request, page, this.#longest)) {
      // The list ends with this page, unless the service states that more follows: then look right behind it.
      if (typeof total !== 'number' || total <= after) return 'end';
      return this.#lookBehind(after, total);
    }
    this.#countRepeats(request.offset, keys);
    if (this.#repeatedPages >= maxRepeatedPages) return 'end';
    // A page of one entry cannot overlap.
    if (length === 1) return this.#lookBehind(after, total);
    if (after - 1 >= this.#tooFar) this.#resetSearch();
    this.#delivered = after - 1;
    const further = this.#delivered + this.#forwardStep;
    this.#forwardStep = Math.max(length, this.#forwardStep * 2);
    this.#moveTo(further < this.#tooFar ? further : this.#middle());
    return this.#search();
  }

  /** Only pages that could not overlap count: others are alike because they were requested at the same offset. */
  #countRepeats(offset: number, keys: readonly unknown[]): void {
    const isRepeat = hasSameKeys(keys, this.#keys);
    if (isRepeat && offset < this.#repeatsFrom) return;
    this.#repeatedPages = isRepeat ? this.#repeatedPages + 1 : 1;
    this.#keys = keys;
    this.#repeatsFrom = offset + keys.length;
  }

  #lookBehind(after: number, total: ObservedPage['total']): PageStep {
    this.#adjacent = after;
    this.#total = total ?? this.#total;
    this.#moveTo(after);
    return this.#search();
  }

  /** By how much the list has become shorter since the last page, if the service's total is right. */
  #shrunkBy(total: ObservedPage['total']): number {
    return Math.max(0, (this.#total ?? 0) - (total ?? Infinity));
  }

  /** Halfway between what is delivered and what is too far; before the start while one of them is not known. */
  #middle(): number {
    if (this.#delivered < 0 || this.#tooFar === Infinity) return this.#delivered;
    return Math.floor((this.#delivered + this.#tooFar) / 2);
  }

  #moveTo(offset: number): void {
    this.offset = Math.max(this.#start, offset);
  }

  /** Forgets the bounds: the list has changed since they were found. */
  #resetSearch(): void {
    this.#delivered = -1;
    this.#tooFar = Infinity;
    this.#forwardStep = 0;
    this.#backStep = 0;
  }

  #search(): PageStep {
    this.#searchPages += 1;
    return this.#searchPages < maxSearchPages ? 'search' : 'end';
  }
}

/** A page that is as long as was requested, or as long as this service ever gives. */
function isFullPage(request: PageRequest, { length, limit }: ObservedPage, longest: number): boolean {
  if (length >= Math.min(request.limit ?? Infinity, limit ?? Infinity)) return true;
  return length > 1 && length === longest;
}

/** `total` alone ends nothing: it may be wrong. A page that the service itself calls short does, if `total` agrees. */
function isLastPage(request: PageRequest, { length, total, limit }: ObservedPage): boolean {
  if (typeof limit !== 'number' || length >= Math.min(limit, request.limit ?? Infinity)) return false;
  return total === request.offset + length;
}

function hasSameKeys(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
