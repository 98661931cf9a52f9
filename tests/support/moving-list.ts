import { Paged } from '../../src/core/paging/paged.js';
import type { RawPage } from '../../src/core/paging/page-reader.js';

/** A change of a list; places are taken modulo its length. */
export type Edit = { readonly kind: 'remove'; readonly at: number } | { readonly kind: 'insert'; readonly at: number };

/** How a service pages its list. */
export interface PagingStyle {
  /** The longest page it returns, whatever the limit. */
  readonly cap: number;
  /** Its `limit` field. */
  readonly limit: 'honest' | 'absent' | 'as asked';
  /** Its `total` field. */
  readonly total: 'honest' | 'absent' | 'zero' | 'of the page' | 'too large';
  /** What stands for an empty page. */
  readonly empty: 'null' | 'empty' | 'absent';
}

export const plain: PagingStyle = { cap: 100, limit: 'honest', total: 'honest', empty: 'empty' };

/** A list on a service, which changes during the iteration and knows which entries must be delivered. */
export class MovingList {
  readonly items: number[];
  readonly #style: PagingStyle;
  readonly #defaultSize: number;
  readonly #removed = new Set<number>();
  readonly #initial: readonly number[];
  /** What moved before the start of the iteration. */
  readonly #before = new Set<number>();
  readonly requests: { offset: number; limit: number | undefined; signal: AbortSignal | undefined }[] = [];
  #next: number;
  /** What others do to the list just before each request. */
  readonly #others: (readonly Edit[])[];

  constructor(length: number, style: PagingStyle = plain, others: readonly (readonly Edit[])[] = [], defaultSize = 5) {
    this.items = Array.from({ length }, (_, index) => index);
    this.#initial = [...this.items];
    this.#next = length;
    this.#style = style;
    this.#others = [...others];
    this.#defaultSize = defaultSize;
  }

  /** Its total says nothing of what there is to deliver: it is too large, or stayed while entries came and went. */
  get hasOddTotal(): boolean {
    return this.#style.total === 'too large' || (this.#removed.size > 0 && this.#next > this.#initial.length);
  }

  edit({ kind, at }: Edit): void {
    if (kind === 'insert') this.items.splice(at % (this.items.length + 1), 0, this.#next++);
    else if (this.items.length > 0) this.remove(this.items[at % this.items.length]!);
  }

  remove(item: number): void {
    const index = this.items.indexOf(item);
    if (index < 0) return;
    this.items.splice(index, 1);
    this.#removed.add(item);
  }

  /** The entries that were there from the beginning to the end, and never before the start of the iteration. */
  get stayed(): number[] {
    return this.#initial.filter((item) => !this.#removed.has(item) && !this.#before.has(item));
  }

  paginate({ offset = 0, limit }: { offset?: number; limit?: number } = {}): Paged<number> {
    return new Paged<number>({
      offset,
      limit,
      key: (item) => item,
      fetch: async (place, { signal }) => {
        for (const edit of this.#others.shift() ?? []) this.edit(edit);
        for (const item of this.items.slice(0, offset)) this.#before.add(item);
        this.requests.push({ ...place, signal });
        return this.#page(place);
      },
    });
  }

  #page({ offset, limit }: { offset: number; limit: number | undefined }): RawPage<number> {
    const { cap, limit: limitField, total, empty } = this.#style;
    const size = Math.min(limit ?? this.#defaultSize, cap);
    const items = this.items.slice(offset, offset + size);
    const totals = {
      honest: this.items.length,
      absent: undefined,
      zero: 0,
      'of the page': items.length,
      'too large': this.items.length + 1000,
    };
    return {
      items: items.length > 0 || empty === 'empty' ? items : empty === 'null' ? null : undefined,
      limit: { honest: size, absent: undefined, 'as asked': limit ?? size }[limitField],
      total: totals[total],
      extra: {},
    };
  }
}
