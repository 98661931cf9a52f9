/** The command line is invalid. */
export class UsageError extends Error {}

/** The command cannot be carried out. */
export class CliError extends Error {}
