import { PriorityQueue } from './priority-queue.js';
import { WaitingList } from './waiting-list.js';
import type { WaitingNotification } from './waiting-list.js';

/** The waiting entries of one resource. */
export interface Group {
  readonly name: string;
  readonly userId: number;
  readonly waiting: WaitingList;
  /** The place among the groups that are due; `undefined` while the group is leased or delayed. */
  turn: number | undefined;
  /** Without a turn: the end of the lease or of the delay. */
  readyAt: number;
  /** The current lease, also after it has expired. */
  lease: { readonly token: string; readonly leased: WaitingNotification } | undefined;
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
  readonly #due = new PriorityQueue<Group>();
  readonly #later = new PriorityQueue<Group>();
  /** The latest turn of each user. */
  readonly #turns = new Map<number, number>();
  /** The latest turn that was leased. */
  #served = 0;
  #mostUsers = maxUsers;

  get(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  /** Inserts an entry by its time. */
  insert(waiting: WaitingNotification): void {
    let group = this.#groups.get(waiting.entry.groupId);
    if (!group) this.#makeDue((group = this.#create(waiting)));
    group.waiting.insert(waiting);
  }

  /** Inserts the first entry of a group, and leases the group. */
  insertLeased(leased: WaitingNotification, token: string, until: number): void {
    const group = this.#create(leased);
    group.waiting.insert(leased);
    this.lease(group, { token, leased }, until);
  }

  #create({ entry: { groupId: name, notification } }: WaitingNotification): Group {
    const waiting = new WaitingList();
    const group = { name, userId: notification.user_id, waiting, turn: undefined, readyAt: 0, lease: undefined };
    this.#groups.set(name, group);
    return group;
  }

  #makeDue(group: Group): void {
    const turn = Math.max(this.#served, this.#turns.get(group.userId) ?? 0) + 1;
    this.#turns.set(group.userId, turn);
    group.turn = turn;
    this.#due.push(turn, group);
    if (this.#turns.size <= this.#mostUsers) return;
    for (const [userId, latest] of this.#turns) if (latest <= this.#served) this.#turns.delete(userId);
    // Those with a later turn stay: strangers could else have all users looked at again and again.
    this.#mostUsers = Math.max(maxUsers, this.#turns.size * 2);
  }

  /** Leases a group. */
  lease(group: Group, lease: NonNullable<Group['lease']>, until: number): void {
    if (group.turn !== undefined) this.#served = Math.max(this.#served, group.turn);
    group.lease = lease;
    this.postpone(group, until);
  }

  postpone(group: Group, readyAt: number): void {
    group.turn = undefined;
    group.readyAt = readyAt;
    this.#later.push(readyAt, group);
  }

  /** Ends a group's lease, and deletes the group if it is empty. */
  release(group: Group, delayMs: number, now: number): void {
    group.lease = undefined;
    if (group.waiting.length === 0) this.#delete(group);
    else if (delayMs > 0) this.postpone(group, now + delayMs);
    else this.#makeDue(group);
  }

  #delete(group: Group): void {
    this.#groups.delete(group.name);
    this.#forgetEnded();
  }

  /** The group whose turn it is; `undefined` when none is due. */
  next(now: number): Group | undefined {
    for (let first = this.#later.peek(); first && first.priority <= now; first = this.#later.peek()) {
      if (this.#isLater(first)) this.#makeDue(first.item);
      this.#later.pop();
    }
    for (let first = this.#due.peek(); first; first = this.#due.peek()) {
      if (first.item.turn === first.priority && this.#isPresent(first.item)) return first.item;
      this.#due.pop();
    }
    return undefined;
  }

  /** When the first leased or delayed group will be due; `undefined` when there is none. */
  nextReadyAt(): number | undefined {
    this.#forgetEnded();
    return this.#later.peek()?.priority;
  }

  /** Removes the items of leases and delays that have ended early. */
  #forgetEnded(): void {
    for (let first = this.#later.peek(); first && !this.#isLater(first); first = this.#later.peek()) this.#later.pop();
  }

  #isLater({ priority, item }: { readonly priority: number; readonly item: Group }): boolean {
    return item.turn === undefined && item.readyAt === priority && this.#isPresent(item);
  }

  #isPresent(group: Group): boolean {
    return this.#groups.get(group.name) === group;
  }
}
