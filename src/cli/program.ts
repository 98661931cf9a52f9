import { version } from '../core/request/version.js';
import { CliError, UsageError } from './errors.js';
import type { Command, ProcessIO } from './command.js';
import { call, callOf } from './commands/call.js';
import { check } from './commands/check.js';
import { fake } from './commands/fake.js';
import { fakeRecord } from './commands/fake-record.js';
import { fakeSeedFrom } from './commands/fake-seed-from.js';
import { fakeVerify } from './commands/fake-verify.js';
import { inbox } from './commands/inbox.js';
import { mcp } from './commands/mcp.js';
import { outbox } from './commands/outbox.js';
import { helpOf } from './help.js';
import { Values, readOptions } from './options.js';

/** The commands. A new one is one more entry. */
const commands: readonly Command[] = [check, fake, fakeRecord, fakeVerify, fakeSeedFrom, inbox, outbox, mcp, call];

/** Runs the program. @returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line */
export async function run(args: readonly string[], io: ProcessIO): Promise<number> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    if (error instanceof UsageError) return fail(`${error.message}\nTry --help.`, 2);
    if (error instanceof CliError) return fail(error.message, 1);
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
    io.out(isHelp ? helpOf(command ? [command] : commands) : version);
    return 0;
  }
  if (!command) {
    const [word] = args;
    if (word !== undefined) throw new UsageError(unknownCommand(word));
    io.err(helpOf(commands));
    return 2;
  }
  const { values, rest } = readOptions(args.slice(command.name.split(' ').length), command.options);
  return command.run(new Values(values, argumentOf(command, rest), actionOf(command, rest)), io);
}

/** Returns the command with the longest name that the command line starts with. @throws {UsageError} for a wrong operation */
function commandOf(args: readonly string[]): Command | undefined {
  const [word, operation] = args;
  if (word === call.name) return callOf(operation);
  return [...commands]
    .sort((a, b) => b.name.length - a.name.length)
    .find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

function unknownCommand(word: string): string {
  return `Unknown command "${word}"; the commands are ${commands.map(({ name }) => name).join(', ')}`;
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
