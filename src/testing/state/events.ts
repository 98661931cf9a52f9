/** Something that happened on the marketplace, of which applications may be notified. */
export interface MarketplaceEvent {
  /** The topic of the notification, e.g. `questions`. */
  readonly topic: string;
  /** The path of the created or updated element, e.g. `/questions/42`. */
  readonly resource: string;
  /** The user whom the notification concerns. */
  readonly user_id: number;
}

type Listener = (event: MarketplaceEvent) => void;

/** What happens on the marketplace, told to whoever listens. */
export class MarketplaceEvents {
  readonly #listeners = new Set<Listener>();

  /** Listens; the function given back ends it. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: MarketplaceEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
