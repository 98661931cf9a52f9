// As it was at import time, so that fake timers of tests do not stop the inbox.
const { setImmediate: schedule = setTimeout } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Runs a function after the pending events of this turn of the event loop: what they ask for is then done together. */
export function atEndOfTurn(run: () => void): void {
  schedule(run);
}

/** Collects what the events of one turn add, and passes it on at the end of the turn. */
export class TurnBatch<T> {
  readonly #run: (items: readonly T[]) => void;
  #items: T[] = [];

  constructor(run: (items: readonly T[]) => void) {
    this.#run = run;
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) atEndOfTurn(() => this.#flush());
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#run(items);
  }
}
