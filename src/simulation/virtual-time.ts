/** Whom a timer belongs to. */
export interface TimerOwner {
  readonly isAlive: boolean;
  count(what: 'timers'): void;
}

/** A timer of the virtual time. */
export class VirtualTimer {
  /** When it is due, in milliseconds since 1970. */
  at = 0;
  isSet = false;
  readonly owner: TimerOwner;
  readonly fire: () => void;
  readonly delayMs: number;
  readonly repeats: boolean;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime, owner: TimerOwner, fire: () => void, delayMs: number, repeats: boolean) {
    this.#time = time;
    this.owner = owner;
    this.fire = fire;
    this.delayMs = delayMs;
    this.repeats = repeats;
  }

  /** Nothing keeps a simulated process alive but the simulation. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#time.start(this);
    return this;
  }

  close(): this {
    this.isSet = false;
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The longest delay that Node.js takes; it makes 1 ms of longer ones. */
const longestMs = 2 ** 31 - 1;

/** A clock that stands still until the next timer is due. */
export class VirtualTime {
  /** In milliseconds since 1970. */
  now: number;
  /** The next one last; of those with one time, the one that was set first is last. */
  #timers: { readonly at: number; readonly timer: VirtualTimer }[] = [];

  readonly startedAt: number;

  constructor(now: number) {
    this.now = this.startedAt = now;
  }

  /** Sets a timer. That of a process that has ended never fires. */
  set(owner: TimerOwner, fire: () => void, delayMs = 0, repeats = false): VirtualTimer {
    const ms = delayMs >= 1 && delayMs <= longestMs ? Math.trunc(delayMs) : 1;
    return this.start(new VirtualTimer(this, owner, fire, ms, repeats));
  }

  /** Starts a timer, also one that runs or has fired. */
  start(timer: VirtualTimer): VirtualTimer {
    const at = this.now + timer.delayMs;
    [timer.at, timer.isSet] = [at, timer.owner.isAlive];
    if (timer.isSet) this.#timers.splice(this.#placeOf(at), 0, { at, timer });
    return timer;
  }

  #placeOf(at: number): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#timers[middle]?.at ?? 0) > at) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Moves to the next timer and fires it, unless it is due after `until`. @returns the timer; `undefined` if there is none */
  fireNext(until: number): VirtualTimer | undefined {
    for (let next = this.#timers.at(-1); next !== undefined && next.at <= until; next = this.#timers.at(-1)) {
      this.#timers.pop();
      const { at, timer } = next;
      if (!timer.isSet || !timer.owner.isAlive || timer.at !== at) continue;
      this.now = Math.max(this.now, at);
      timer.isSet = false;
      if (timer.repeats) this.start(timer);
      timer.fire();
      return timer;
    }
    return undefined;
  }
}
