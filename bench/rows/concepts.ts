import { child } from '../measure.ts';
import { linesOfCode } from './lines.ts';

/** Something that a reader has to keep in mind: how much there is of it, and how much there should be at most. */
export interface Concepts {
  readonly what: string;
  readonly goal: number;
  /** What `npm run bench:check` allows: today's figure, so that it does not grow. */
  readonly most: number;
  readonly measure: () => number | Promise<number>;
}

/** The functions that ran, by file of `src`. */
type Files = Readonly<Record<string, readonly string[]>>;
type Call = Readonly<{ outcome: string; files: Files }>;
type Ran = Readonly<Record<'answered' | 'rejected', readonly [first: Call, second: Call]>>;

/** What runs for the second answer of a client, and for a documented 400 that is the first response to another one. */
export async function ran(): Promise<{ readonly answered: Files; readonly rejected: Files }> {
  const { answered, rejected } = await (measured ??= child<Ran>('children/ran.mjs'));
  const outcomes = [answered[1].outcome, rejected[0].outcome];
  if (outcomes.join() !== 'answered,InvalidQuestionError')
    throw new Error(`The calls ended as ${outcomes.join(' and ')}`);
  return { answered: answered[1].files, rejected: rejected[0].files };
}

/** Measured once for all figures. */
let measured: Promise<Ran> | undefined;

const filesOf = (files: Files): number => Object.keys(files).length;
const functionsOf = (files: Files): number => Object.values(files).flat().length;

export const concepts: readonly Concepts[] = [
  {
    what: 'own files that run for an answer',
    goal: 32,
    most: 35,
    measure: async () => filesOf((await ran()).answered),
  },
  {
    what: 'own functions that run for an answer',
    goal: 115,
    most: 129,
    measure: async () => functionsOf((await ran()).answered),
  },
  {
    what: 'own files that run for a documented 400',
    goal: 40,
    most: 42,
    measure: async () => filesOf((await ran()).rejected),
  },
  {
    what: 'own functions that run for a documented 400',
    goal: 180,
    most: 189,
    measure: async () => functionsOf((await ran()).rejected),
  },
  { what: 'lines of code in src/core', goal: 5800, most: 7400, measure: () => linesOfCode('core') },
];
