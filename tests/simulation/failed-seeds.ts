/** The seeds with which a documented bot has failed once, by its name. They run with the usual day, and in `.ci/run`. */
export const failedOnce: Readonly<Record<string, readonly number[]>> = {
  'docs/guide/after-a-sale.md: The bot': [198303318, 310000063],
  'docs/guide/notifications.md: Catch up': [310000048],
  'docs/guide/notifications.md: Messages': [77000114, 57628462],
  'the bot of examples/inbox-bot, whose tokens are refreshed': [77000028, 310000054],
  'a bot that writes through an outbox in a file': [
    77000050, 310000025, 59431922, 86396298, 57628456, 440000118, 440000123, 440000133, 440000167, 450000367, 203789078,
  ],
};
