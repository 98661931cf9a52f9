/** The constants of the adaptive retry mode of the AWS SDKs. */
const beta = 0.7;
const scale = 0.4;

/**
 * Returns the rate a time after a cut, per second: the cubic curve of the adaptive retry mode of the AWS SDKs. It begins at
 * seven tenths of the rate before the cut, stays near that rate for a while, and then rises fast.
 */
export function cubicRate(beforeCut: number, secondsAfter: number): number {
  const plateau = Math.cbrt((beforeCut * (1 - beta)) / scale);
  return scale * (secondsAfter - plateau) ** 3 + beforeCut;
}

/** The rate at which attempts are sent. All times are given, of `performance.now()`. */
export class AdaptiveRate {
  /** How many responses were accepted in the second that began at `#secondAt`, and in the one before. */
  #accepted = 0;
  #acceptedBefore = 0;
  #secondAt = 0;
  #beforeCut: number | undefined;
  #cutAt = -Infinity;

  /** `undefined` while no limit is known. */
  perSecond(now: number): number | undefined {
    return this.#beforeCut === undefined ? undefined : cubicRate(this.#beforeCut, (now - this.#cutAt) / 1000);
  }

  accept(now: number): void {
    const seconds = (now - this.#secondAt) / 1000;
    if (seconds >= 1) {
      this.#acceptedBefore = seconds < 2 ? this.#accepted : 0;
      this.#accepted = 0;
      this.#secondAt = now;
    }
    this.#accepted += 1;
  }

  /** Cuts the rate after an event, at most once a second. */
  cut(now: number): void {
    const seconds = (now - this.#secondAt) / 1000;
    const accepted = seconds < 2 ? Math.max(this.#accepted, seconds < 1 ? this.#acceptedBefore : 0) : 0;
    if (accepted === 0 || now - this.#cutAt < 1000) return;
    this.#beforeCut = Math.min(this.perSecond(now) ?? Infinity, accepted);
    this.#cutAt = now;
  }

  forget(): void {
    this.#beforeCut = undefined;
  }
}
