/** The seed of every property test: the same in each `npm test`, random in `npm run explore`. FUZZ_SEED repeats a run. */
export const seed = Number(process.env.FUZZ_SEED ?? 20_261_105);

/** The part of its cases that each property is tried with: a quarter in `npm test`, ten times as many in `npm run explore`. */
export const share = Number(process.env.FUZZ_SHARE ?? 0.25);
