import { FifoMap } from '../../work/fifo-map.js';

/** How many 404s of a user's resources within how long stop the reads, in milliseconds. */
const maxNotFound = 20;
const withinMs = 60_000;
const longestMs = 3_600_000;
/** How many users are remembered. One that is forgotten begins anew. */
const maxUsers = 10_000;

interface User {
  /** The 404s since then. */
  notFound: number;
  since: number;
  /** Until when nothing is read; `undefined` while the breaker is closed. */
  openUntil: number | undefined;
  openMs: number;
  isTrying: boolean;
}

/**
 * A circuit breaker per user and topic: after many 404s in a minute it stops reading, because somebody forges notifications,
 * and many 404s get an application blocked. It stays open for a minute, then lets one read through, and opens for twice as
 * long, up to an hour, if that is a 404 too.
 */
export class NotFoundBreaker {
  readonly #users = new FifoMap<User>(maxUsers);
  readonly #onOpen: (name: string) => void;

  /** @param onOpen Called when reads stop. */
  constructor(onOpen: (name: string) => void) {
    this.#onOpen = onOpen;
  }

  /** Whether a resource may be read now: `trial` for the one read that decides whether the breaker closes. */
  state(name: string): 'closed' | 'open' | 'trial' {
    const user = this.#users.get(name);
    if (user?.openUntil === undefined) return 'closed';
    if (user.isTrying || performance.now() < user.openUntil) return 'open';
    user.isTrying = true;
    return 'trial';
  }

  /** A handler that has started in this state has ended. */
  onEnd(name: string, state: 'closed' | 'open' | 'trial', wasNotFound: boolean): void {
    const user = this.#users.get(name);
    if (state === 'trial' && !wasNotFound) this.#users.delete(name);
    else if (state === 'trial' && user) this.#open(user, Math.min(user.openMs * 2, longestMs));
    else if (wasNotFound) this.#count(name, user ?? this.#add(name));
  }

  #add(name: string): User {
    const user = { notFound: 0, since: performance.now(), openUntil: undefined, openMs: withinMs, isTrying: false };
    this.#users.set(name, user);
    return user;
  }

  #count(name: string, user: User): void {
    const now = performance.now();
    if (now - user.since > withinMs) Object.assign(user, { notFound: 0, since: now });
    user.notFound += 1;
    if (user.openUntil !== undefined || user.notFound < maxNotFound) return;
    this.#open(user, user.openMs);
    this.#onOpen(name);
  }

  #open(user: User, openMs: number): void {
    Object.assign(user, { openMs, openUntil: performance.now() + openMs, isTrying: false });
  }
}
