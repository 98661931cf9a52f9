/** Counts how often something of a resource was handled after what was sent later. */
export class HandledOrder {
  readonly #last = new Map<string, number>();
  #handled = 0;
  #broken = 0;

  note(resource: string, sentAt: number): void {
    this.#handled += 1;
    if (sentAt < (this.#last.get(resource) ?? 0)) this.#broken += 1;
    this.#last.set(resource, Math.max(sentAt, this.#last.get(resource) ?? 0));
  }

  report(): { readonly handled: number; readonly broken: number } {
    return { handled: this.#handled, broken: this.#broken };
  }
}
