/** What came of a lease. */
export interface RunResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

/** The groups that deliveries wait for: they are leased before others. */
export class GroupRequests {
  readonly #requests = new Map<string, PromiseWithResolvers<RunResult | undefined>>();

  get size(): number {
    return this.#requests.size;
  }

  groupIds(): string[] {
    return [...this.#requests.keys()];
  }

  /** Waits for the next result of a group; `undefined` when the group cannot be leased now. */
  add(groupId: string): Promise<RunResult | undefined> {
    const request = this.#requests.get(groupId) ?? Promise.withResolvers();
    this.#requests.set(groupId, request);
    return request.promise;
  }

  /** Ends the wait for a group. */
  resolve(groupId: string, result?: Promise<RunResult>): void {
    this.#requests.get(groupId)?.resolve(result);
    this.#requests.delete(groupId);
  }

  /** Ends all waits without a result. */
  resolveAll(): void {
    for (const groupId of this.groupIds()) this.resolve(groupId);
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#requests.values()) reject(error);
    this.#requests.clear();
  }
}
