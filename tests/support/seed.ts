/** The seed of every property test: the same in each `npm test`, random in `npm run explore`. FUZZ_SEED repeats a run. */
export const seed = Number(process.env.FUZZ_SEED ?? 20_261_105);
