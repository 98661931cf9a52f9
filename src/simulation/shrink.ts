/** The most runs for one failure. */
const mostRuns = 60;

/** Runs only some events and faults. @returns the failure; `undefined` if there is none */
type RunOnly<Failure> = (only: readonly string[]) => Promise<Failure | undefined>;

/** What came of leaving events out. */
export interface Shrunk<Failure> {
  readonly only: readonly string[];
  readonly failure: Failure;
  readonly runs: number;
}

/**
 * Looks for few events and faults that still fail.
 *
 * By halves, it finds the shortest beginning that fails, keeps its last event, and goes on with what is before that. Then it
 * tries to leave out each event that is left, and to give faults of calls the lowest numbers.
 *
 * @param happened the names of all that has happened, in order
 */
export async function shrink<Failure>(
  happened: readonly string[],
  first: Failure,
  attempt: RunOnly<Failure>,
): Promise<Shrunk<Failure>> {
  const search = new Shrinking(happened, first, attempt);
  await search.halve();
  await search.removeSingly();
  await search.renumber();
  return { only: search.only, failure: search.failure, runs: search.runs };
}

class Shrinking<Failure> {
  /** The shortest list that is known to fail. */
  only: readonly string[];
  failure: Failure;
  runs = 0;
  readonly #attempt: RunOnly<Failure>;

  constructor(happened: readonly string[], first: Failure, attempt: RunOnly<Failure>) {
    this.only = happened;
    this.failure = first;
    this.#attempt = attempt;
  }

  /** Whether these fail too; then they are the shortest. */
  async #fails(only: readonly string[]): Promise<boolean> {
    if (this.runs >= mostRuns) return false;
    this.runs += 1;
    const failure = await this.#attempt(only);
    if (failure === undefined) return false;
    [this.only, this.failure] = [only, failure];
    return true;
  }

  async halve(): Promise<void> {
    let [before, kept]: [readonly string[], readonly string[]] = [this.only, []];
    while (before.length > 0 && !(await this.#fails(kept))) {
      let [passes, fails] = [0, before.length];
      while (fails - passes > 1 && this.runs < mostRuns) {
        const middle = (passes + fails) >> 1;
        if (await this.#fails([...before.slice(0, middle), ...kept])) fails = middle;
        else passes = middle;
      }
      kept = [...before.slice(fails - 1, fails), ...kept];
      before = before.slice(0, fails - 1);
    }
  }

  async removeSingly(): Promise<void> {
    for (const name of [...this.only].reverse()) await this.#fails(this.only.filter((each) => each !== name));
  }

  /** An earlier call may not happen any more, so that the second is the first. */
  async renumber(): Promise<void> {
    for (const name of this.only) {
      const number = Number(/#(\d+): /.exec(name)?.[1] ?? 1);
      for (let lower = 1; lower < number && this.runs < mostRuns; lower += 1) {
        const renamed = name.replace(/#\d+: /, `#${lower}: `);
        if (await this.#fails(this.only.map((each) => (each === name ? renamed : each)))) break;
      }
    }
  }
}
