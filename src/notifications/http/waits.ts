/** What a wait resolves to when it was ended early. */
export const ended = Symbol('ended');

/** Waits for promises that can be ended together, before the promises have settled. */
export class Waits {
  readonly #ends = new Set<() => void>();

  /** The result of a promise, or `ended`. */
  async until<T>(awaited: Promise<T>): Promise<T | typeof ended> {
    const { promise, resolve, reject } = Promise.withResolvers<T | typeof ended>();
    const end = (): void => resolve(ended);
    this.#ends.add(end);
    try {
      awaited.then(resolve, reject);
      return await promise;
    } finally {
      this.#ends.delete(end);
    }
  }

  /** Ends the waits that have begun. */
  end(): void {
    for (const end of this.#ends) end();
  }
}
