/** A change on the marketplace that applications can be notified about. */
export interface MarketplaceEvent {
  /** The topic of the notification, e.g. `questions`. */
  readonly topic: string;
  /** The path of the created or updated element, e.g. `/questions/42`. */
  readonly resource: string;
  /** The user that the notification relates to. */
  readonly user_id: number;
}

type Listener = Parameters<MarketplaceEvents['on']>[0];

/**
 * The marketplace's event emitter.
 *
 * @example
 * const stop = marketplace.events.on(({ topic, resource }) => console.log(topic, resource));
 * marketplace.events.emit({ topic: 'items', resource: '/items/MLA100', user_id: 7 });
 * stop();
 */
export class MarketplaceEvents {
  readonly #listeners = new Set<Listener>();
  #held: MarketplaceEvent[] | undefined;

  /** Adds a listener. @returns a function that removes it */
  on(listener: (event: MarketplaceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends an event to all listeners, as if it had happened on the marketplace. */
  emit(event: MarketplaceEvent): void {
    if (this.#held) this.#held.push(event);
    else for (const listener of [...this.#listeners]) listener(event);
  }

  /** @internal Runs a function and emits its events after it succeeded; none when it throws. */
  transaction<T>(run: () => T): T {
    const held: MarketplaceEvent[] = [];
    this.#held = held;
    try {
      const result = run();
      this.#held = undefined;
      for (const event of held) this.emit(event);
      return result;
    } finally {
      this.#held = undefined;
    }
  }
}
