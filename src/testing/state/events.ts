/** A change on the marketplace that applications can be notified about. */
export interface MarketplaceEvent {
  /** The topic of the notification, e.g. `questions`. */
  readonly topic: string;
  /** The path of the created or updated element, e.g. `/questions/42`. */
  readonly resource: string;
  /** The user that the notification relates to. */
  readonly user_id: number;
}

type Listener = (event: MarketplaceEvent) => void;

/** The marketplace's event emitter. */
export class MarketplaceEvents {
  readonly #listeners = new Set<Listener>();

  /** Adds a listener. @returns a function that removes it */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends an event to all listeners, as if it had happened on the marketplace. */
  emit(event: MarketplaceEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
