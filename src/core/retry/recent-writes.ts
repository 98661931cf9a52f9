/** A write, as far as it can be taken for another one. */
interface SentWrite {
  readonly request: {
    readonly endpoint: { readonly name: string };
    readonly url: string;
    readonly body: string | undefined;
  };
  readonly firstSentAt: number;
}

/** Entries that are dated this close to each other can be taken for one another. */
const rememberedMs = 5 * 60_000;
const maxWrites = 1000;

/** The writes of a client that were sent lately and were carried out, or may have been. */
export class RecentWrites {
  readonly #writes = new Set<SentWrite>();

  add(write: SentWrite): void {
    const oldest = performance.now() - rememberedMs;
    for (const each of this.#writes) {
      // A set keeps its order: the oldest come first.
      if (each.firstSentAt >= oldest && this.#writes.size < maxWrites) break;
      this.#writes.delete(each);
    }
    this.#writes.add(write);
  }

  /** Forgets a write that was certainly not carried out. */
  remove(write: SentWrite): void {
    this.#writes.delete(write);
  }

  /** How many writes are equal to one, itself included. */
  count(write: SentWrite): number {
    const others = [...this.#writes].filter((each) => each !== write && isEqual(each, write));
    return others.length + 1;
  }
}

function isEqual({ request: a }: SentWrite, { request: b }: SentWrite): boolean {
  return a.endpoint.name === b.endpoint.name && a.url === b.url && a.body === b.body;
}
