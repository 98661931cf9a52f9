/** A list that is kept in order. No two of its items are equal. */
export class SortedList<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #items: (T | undefined)[] = [];
  /** The place of the first one: those before it were removed, and a list that always loses its first item is not moved each time. */
  #start = 0;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#items[this.#start];
  }

  get last(): T | undefined {
    return this.#items.at(-1);
  }

  add(item: T): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Removes an item, whose place must not have changed since it was added. */
  delete(item: T): void {
    const place = this.#placeOf(item);
    if (this.#items[place] !== item) return;
    if (place > this.#start) this.#items.splice(place, 1);
    else this.#items[this.#start++] = undefined;
    if (this.#start * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  #placeOf(item: T): number {
    let [low, high] = [this.#start, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#isBefore(other, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
