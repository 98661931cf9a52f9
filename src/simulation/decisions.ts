import { chance } from './chance.js';

/** What may happen to one call or notification, with its share. */
export type Choices<Kind extends string> = readonly (readonly [kind: Kind, share: number | undefined])[];

/** Decides which faults occur: by a hash of the seed and the name, so that leaving one out moves no other. */
export class Decisions {
  /** After the load no fault occurs any more. */
  isCalm = false;
  /** The names of the events and faults that have occurred, in order. */
  readonly happened: string[] = [];
  readonly #seed: number;
  readonly #only: ReadonlySet<string> | undefined;

  constructor(seed: number, only: ReadonlySet<string> | undefined) {
    this.#seed = seed;
    this.#only = only;
  }

  /** Whether a planned event happens. */
  includes(name: string): boolean {
    return this.#only?.has(name) ?? true;
  }

  /** Chooses what happens to a call or a notification. */
  choose<Kind extends string>(name: string, choices: Choices<Kind>): Kind | undefined {
    if (this.isCalm) return undefined;
    const kind = this.#only ? this.#named(name, choices) : this.#drawn(name, choices);
    if (kind !== undefined) this.happened.push(`${name}: ${kind}`);
    return kind;
  }

  /** A number from 0 to 1 that belongs to a name. */
  amount(name: string): number {
    return chance(this.#seed, `amount of ${name}`);
  }

  #named<Kind extends string>(name: string, choices: Choices<Kind>): Kind | undefined {
    return choices.find(([kind]) => this.#only?.has(`${name}: ${kind}`))?.[0];
  }

  #drawn<Kind extends string>(name: string, choices: Choices<Kind>): Kind | undefined {
    let left = chance(this.#seed, name);
    return choices.find(([, share = 0]) => (left -= share) < 0)?.[0];
  }
}
