// The clock of a process that loads this first is 40 seconds ahead: node --import ./clock-ahead.mjs
const now = Date.now;
const aheadMs = 40_000;
class Ahead extends Date {
  /** @param {unknown[]} args */
  constructor(...args) {
    super(.../** @type {[number]} */ (args.length > 0 ? args : [now() + aheadMs]));
  }
  /** @override */
  static now() {
    return now() + aheadMs;
  }
}
globalThis.Date = /** @type {DateConstructor} */ (Ahead);
