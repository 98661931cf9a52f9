/** The part of a write by which two writes are compared. */
export interface SentWrite {
  readonly request: {
    readonly endpoint: { readonly name: string };
    readonly url: string;
    readonly body: string | undefined;
  };
  readonly firstSentAt: number;
}

/** Entries whose dates are this close can be confused with each other. */
const rememberedMs = 5 * 60_000;
const maxWrites = 1000;

/** The recent writes of a client that were carried out, or may have been. */
export class RecentWrites {
  readonly #writes = new Set<SentWrite>();

  add(write: SentWrite): void {
    const oldest = performance.now() - rememberedMs;
    for (const each of this.#writes) {
      // A set keeps the order of insertion, so the oldest writes come first.
      if (each.firstSentAt >= oldest && this.#writes.size < maxWrites) break;
      this.#writes.delete(each);
    }
    this.#writes.add(write);
  }

  /** Removes a write that was certainly not carried out. */
  remove(write: SentWrite): void {
    this.#writes.delete(write);
  }

  /** Counts the writes that are equal to a write, including the write itself. */
  count(write: SentWrite): number {
    const others = [...this.#writes].filter((each) => each !== write && isEqual(each, write));
    return others.length + 1;
  }
}

function isEqual({ request: a }: SentWrite, { request: b }: SentWrite): boolean {
  return a.endpoint.name === b.endpoint.name && a.url === b.url && a.body === b.body;
}
