const now = Date.now;

/** Sets the clock of this process ahead, in milliseconds; negative: behind. What it loads later sees no other. */
export function setClockAhead(aheadMs: number): void {
  globalThis.Date = class extends Date {
    constructor(...args: unknown[]) {
      super(...((args.length > 0 ? args : [now() + aheadMs]) as []));
    }
    static override now(): number {
      return now() + aheadMs;
    }
  } as DateConstructor;
}
