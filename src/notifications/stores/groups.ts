import { routeOf, routes } from '../queued-notification.js';
import { PriorityQueue } from './priority-queue.js';
import { WaitingList } from './waiting-list.js';
import type { WaitingNotification } from './waiting-list.js';

/** The waiting entries of one resource. */
export interface Group {
  readonly name: string;
  readonly route: string;
  readonly userId: number;
  readonly waiting: WaitingList;
  /** The place among the groups that are due; `undefined` while the group is leased or delayed. */
  turn: number | undefined;
  /** Without a turn: the end of the lease or of the delay. */
  readyAt: number;
  /** The current lease, also after it has expired. */
  lease: { readonly token: string; readonly leased: WaitingNotification; alone: boolean } | undefined;
}

/** How many users are remembered before those without a later turn are forgotten. */
const maxUsers = 1_000;

/**
 * The groups, and which is next. Users take turns: a user with many groups does not delay the groups of others.
 *
 * Items of the queues are not removed when their group moves; they are skipped when they come first.
 */
export class Groups {
  readonly #groups = new Map<string, Group>();
  /** By route: groups that are due, and groups that are leased or delayed. */
  readonly #due = new Map<string, PriorityQueue<Group>>();
  readonly #later = new Map<string, PriorityQueue<Group>>();
  /** The latest turn of each user. */
  readonly #turns = new Map<number, number>();
  /** The latest turn that was leased. */
  #served = 0;
  #mostUsers = maxUsers;
  #leased = 0;

  /** How many groups are leased. */
  get leased(): number {
    return this.#leased;
  }

  get(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  /** Inserts an entry by its time. */
  insert(waiting: WaitingNotification): void {
    let group = this.#groups.get(waiting.entry.groupId);
    if (!group) this.#makeDue((group = this.#create(waiting)));
    group.waiting.insert(waiting);
  }

  #create({ entry: { groupId: name, notification } }: WaitingNotification): Group {
    const waiting = new WaitingList();
    const [route, userId] = [routeOf(notification), notification.user_id];
    const group = { name, route, userId, waiting, turn: undefined, readyAt: 0, lease: undefined };
    this.#groups.set(name, group);
    return group;
  }

  #makeDue(group: Group): void {
    const turn = Math.max(this.#served, this.#turns.get(group.userId) ?? 0) + 1;
    this.#turns.set(group.userId, turn);
    group.turn = turn;
    queueOf(this.#due, group.route).push(turn, group);
    if (this.#turns.size <= this.#mostUsers) return;
    for (const [userId, latest] of this.#turns) if (latest <= this.#served) this.#turns.delete(userId);
    // Those with a later turn stay: strangers could else have all users looked at again and again.
    this.#mostUsers = Math.max(maxUsers, this.#turns.size * 2);
  }

  /** Leases a group. */
  lease(group: Group, lease: NonNullable<Group['lease']>, until: number): void {
    if (group.turn !== undefined) this.#served = Math.max(this.#served, group.turn);
    if (!group.lease) this.#leased += 1;
    group.lease = lease;
    this.postpone(group, until);
  }

  postpone(group: Group, readyAt: number): void {
    group.turn = undefined;
    group.readyAt = readyAt;
    queueOf(this.#later, group.route).push(readyAt, group);
  }

  /** Ends a group's lease, and deletes the group if it is empty. */
  release(group: Group, delayMs: number, now: number): void {
    if (group.lease) this.#leased -= 1;
    group.lease = undefined;
    if (group.waiting.length === 0) this.#delete(group);
    else if (delayMs > 0) this.postpone(group, now + delayMs);
    else this.#makeDue(group);
  }

  #delete(group: Group): void {
    this.#groups.delete(group.name);
    this.#nextLater(group.route);
  }

  /** The group of these routes whose turn it is; `undefined` when none is due. */
  next(now: number, of: readonly string[] = routes): Group | undefined {
    const heads = of.map((route) => this.#nextOf(route, now));
    return heads.reduce<Group | undefined>(
      (first, each) => (first && (first.turn ?? 0) <= (each?.turn ?? Infinity) ? first : each),
      undefined,
    );
  }

  #nextOf(route: string, now: number): Group | undefined {
    const [later, due] = [queueOf(this.#later, route), queueOf(this.#due, route)];
    for (let first = later.peek(); first && first.priority <= now; first = later.peek()) {
      if (this.#isLater(first)) this.#makeDue(first.item);
      later.pop();
    }
    for (let first = due.peek(); first; first = due.peek()) {
      if (first.item.turn === first.priority && this.#isPresent(first.item)) return first.item;
      due.pop();
    }
    return undefined;
  }

  /** When the first leased or delayed group of these routes will be due; `undefined` when there is none. */
  nextReadyAt(of: readonly string[] = routes): number | undefined {
    const times = of.flatMap((route) => this.#nextLater(route) ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Removes the items of leases and delays that have ended early, and returns the time of the first of the others. */
  #nextLater(route: string): number | undefined {
    const later = queueOf(this.#later, route);
    let first = later.peek();
    for (; first && !this.#isLater(first); first = later.peek()) later.pop();
    return first?.priority;
  }

  #isLater({ priority, item }: { readonly priority: number; readonly item: Group }): boolean {
    return item.turn === undefined && item.readyAt === priority && this.#isPresent(item);
  }

  #isPresent(group: Group): boolean {
    return this.#groups.get(group.name) === group;
  }
}

function queueOf(queues: Map<string, PriorityQueue<Group>>, route: string): PriorityQueue<Group> {
  const found = queues.get(route) ?? new PriorityQueue<Group>();
  queues.set(route, found);
  return found;
}
