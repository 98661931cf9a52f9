import type { RunResult } from './run.js';

/** Waits for the next result of a group; `undefined` when the group cannot be leased now. */
interface Request {
  readonly resolve: (result: Promise<RunResult> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The groups that deliveries wait for: they are leased before others. */
export class GroupRequests {
  readonly #requests = new Map<string, Request[]>();

  get size(): number {
    return this.#requests.size;
  }

  groupIds(): string[] {
    return [...this.#requests.keys()];
  }

  /** Waits for the next result of a group. */
  add(groupId: string): Promise<RunResult | undefined> {
    return new Promise((resolve, reject) => {
      const requests = this.#requests.get(groupId) ?? [];
      requests.push({ resolve, reject });
      this.#requests.set(groupId, requests);
    });
  }

  /** Resolves the requests of a group. */
  resolve(groupId: string, result?: Promise<RunResult>): void {
    for (const { resolve } of this.#take(groupId)) resolve(result);
  }

  /** Resolves all requests to `undefined`. */
  resolveAll(): void {
    for (const groupId of this.groupIds()) this.resolve(groupId);
  }

  rejectAll(error: unknown): void {
    for (const groupId of this.groupIds()) for (const { reject } of this.#take(groupId)) reject(error);
  }

  #take(groupId: string): readonly Request[] {
    const requests = this.#requests.get(groupId) ?? [];
    this.#requests.delete(groupId);
    return requests;
  }
}
