import { ConfigurationError } from '../core/errors/errors.js';
import { didYouMean } from '../core/options/rules.js';
import { checkPlatform } from '../core/options/client-options.js';
import { version } from '../core/request/version.js';
import { CliError, UsageError, helpOf, overview, Values, readOptions } from './command.js';
import type { Command, ProcessIO } from './command.js';
import { call, callOf } from './commands/call.js';
import { check } from './commands/check.js';
import { fake } from './commands/fake.js';
import { inbox, outbox } from './commands/stored.js';
import { mcp } from './commands/mcp.js';
import { review } from './commands/review.js';

/** The commands. A new one is one more entry. */
export const commands: readonly Command[] = [check, fake, review, inbox, outbox, mcp, call];

/** Runs the program. @returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line */
export async function run(args: readonly string[], io: ProcessIO): Promise<number> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    if (error instanceof UsageError) return fail(`${error.message}\nTry --help.`, 2);
    if (error instanceof CliError || error instanceof ConfigurationError) return fail(error.message, 1);
    throw error;
  }

  function fail(message: string, code: number): number {
    io.err(`marketplace-seller-sdk: ${message}`);
    return code;
  }
}

async function runCommand(args: readonly string[], io: ProcessIO): Promise<number> {
  const command = commandOf(args);
  const isHelp = args.some((arg) => arg === '--help' || arg === '-h');
  if (isHelp || args[0] === '--version') {
    io.out(isHelp ? (command ? helpOf(command) : overview(commands)) : version);
    return 0;
  }
  if (!command) {
    const [word] = args;
    if (word !== undefined) throw new UsageError(unknownCommand(word));
    io.err(overview(commands));
    return 2;
  }
  checkPlatform();
  const { values, rest } = readOptions(args.slice(command.name.split(' ').length), command.options);
  return command.run(new Values(values, argumentOf(command, rest), actionOf(command, rest)), io);
}

/** Returns the command that the command line starts with. @throws {UsageError} for a wrong operation */
function commandOf(args: readonly string[]): Command | undefined {
  const [word, operation] = args;
  if (word === call.name) return callOf(operation);
  const instead = insteadOf[`${word} ${operation}`];
  if (instead !== undefined) throw new UsageError(`Unknown command "${word} ${operation}"; ${instead}`);
  return commands.find(({ name }) => name === word);
}

const compare = '"check" tells whether the service responds as documented';
/** What to use in place of commands that were expected here. */
const insteadOf: Readonly<Record<string, string>> = {
  'fake record': compare,
  'fake verify': compare,
  'fake seed-from': '"fake --seed FILE" takes the initial content',
};

function unknownCommand(word: string): string {
  const names = commands.map(({ name }) => name);
  return `Unknown command "${word}"; ${didYouMean(word, names, `the commands are ${names.join(', ')}`)}`;
}

/** @throws {UsageError} when the argument is missing, or there are too many */
function argumentOf({ name, argument, actions }: Command, rest: readonly string[]): string {
  // What is given may be a token.
  if (argument === undefined && rest.length > 0) throw new UsageError(`${name} takes no arguments, only options`);
  if (argument !== undefined && (rest.length < 1 || rest.length > (actions ? 2 : 1)))
    throw new UsageError(
      `${name} takes ${actions ? `${argument}, then an action (default: ${actions[0]})` : `one argument, ${argument}`}`,
    );
  return rest[0] ?? '';
}

/** @throws {UsageError} when the command has no such action */
function actionOf({ name, actions }: Command, [, action = actions?.[0] ?? '']: readonly string[]): string {
  if (!actions || actions.includes(action)) return action;
  throw new UsageError(`${name} has no action "${action}"; the actions are ${actions.join(', ')}`);
}
