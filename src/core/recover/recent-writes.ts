import type { Endpoint } from '../operation/endpoint.js';

/** The part of a write by which two writes are compared. */
export interface SentWrite {
  readonly name: string;
  readonly url: string;
  readonly body: string | undefined;
}

/** Entries whose dates are this close can be confused with each other. */
const rememberedMs = 5 * 60_000;
const maxWrites = 1000;

/** The recent writes of a client that were carried out, or may have been. */
export class RecentWrites {
  /** When they were sent first. The order is that of sending. */
  readonly #sentAt = new Map<SentWrite, number>();

  add(write: SentWrite, now: number): void {
    for (const [each, sentAt] of this.#sentAt) {
      if (sentAt >= now - rememberedMs && this.#sentAt.size < maxWrites) break;
      this.#sentAt.delete(each);
    }
    this.#sentAt.set(write, now);
  }

  /** Removes a write that was certainly not carried out. */
  remove(write: SentWrite): void {
    this.#sentAt.delete(write);
  }

  /** Counts the writes that are equal to a write, including the write itself. One that is not compared counts as one. */
  count(write: SentWrite | undefined): number {
    if (!write) return 1;
    const others = [...this.#sentAt.keys()].filter((each) => each !== write && isEqual(each, write));
    return others.length + 1;
  }
}

/** The write of a request; `undefined` if it cannot be read back, or may be repeated. */
export function sentWriteOf(request: {
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly body: string | undefined;
}): SentWrite | undefined {
  const { endpoint, url, body } = request;
  return endpoint.confirm && endpoint.retry === 'unsafe' ? { name: endpoint.name, url, body } : undefined;
}

function isEqual(a: SentWrite, b: SentWrite): boolean {
  return a.name === b.name && a.url === b.url && a.body === b.body;
}
