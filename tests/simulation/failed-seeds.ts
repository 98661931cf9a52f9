/** The seeds with which a documented bot has failed once, by its name. They run in every `npm test`. */
export const failedOnce: Readonly<Record<string, readonly number[]>> = {
  'docs/guide/after-a-sale.md: The bot': [198303318],
};
