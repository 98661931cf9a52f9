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
type Run = Readonly<{ outcome: string; files: Files }>;
type Journey = (typeof journeys)[number]['name'];

/** What an application does, the goals and today's figures of it, and how it ends. Each is made twice: the second one is counted. */
const journeys = [
  { name: 'read', what: 'a read', files: [24, 26], functions: [110, 126] },
  {
    name: 'rejected',
    what: 'a documented 400',
    files: [40, 33],
    functions: [180, 191],
    outcome: 'InvalidQuestionError',
  },
  { name: 'lost', what: 'a lost write that is read back', files: [40, 40], functions: [215, 224] },
  { name: 'webhook', what: 'a webhook to an answer, on SQLite', files: [60, 58], functions: [400, 465] },
  { name: 'job', what: 'a job whose message moderation accepts, on SQLite', files: [62, 64], functions: [480, 557] },
  { name: 'refresh', what: 'a read that refreshes its token', files: [28, 41], functions: [180, 264] },
] as const;

/** What runs for each journey. */
export async function ran(): Promise<Readonly<Record<Journey, Files>>> {
  const runs = await (measured ??= child<Record<Journey, readonly [first: Run, second: Run]>>('children/ran.mjs'));
  const second = journeys.map((journey) => {
    const { outcome, files } = runs[journey.name][1];
    const expected = 'outcome' in journey ? journey.outcome : 'done';
    if (outcome !== expected) throw new Error(`${journey.what} ended as ${outcome}`);
    return [journey.name, files];
  });
  return Object.fromEntries(second) as Record<Journey, Files>;
}

/** Measured once for all figures. */
let measured: Promise<Record<Journey, readonly [first: Run, second: Run]>> | undefined;

export const concepts: readonly Concepts[] = [
  ...journeys.flatMap(({ name, what, files: [filesGoal, mostFiles], functions: [functionsGoal, mostFunctions] }) => [
    {
      what: `own files that run for ${what}`,
      goal: filesGoal,
      most: mostFiles,
      measure: async () => Object.keys((await ran())[name]).length,
    },
    {
      what: `own functions that run for ${what}`,
      goal: functionsGoal,
      most: mostFunctions,
      measure: async () => Object.values((await ran())[name]).flat().length,
    },
  ]),
  { what: 'lines of code in src/core', goal: 5800, most: 8177, measure: () => linesOfCode('core') },
];
