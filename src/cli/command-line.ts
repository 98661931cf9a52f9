import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { isControlToken } from '../testing/dashboard/access.js';
import { nearest } from '../testing/nearest.js';

/** The options of the `fake` command. */
export interface FakeCommand {
  readonly port: number;
  readonly host: string;
  readonly seed: string | undefined;
  readonly faults: readonly string[];
  readonly quiet: boolean;
  readonly names: readonly string[];
  readonly controlToken: string | undefined;
  readonly callbacks: readonly string[];
  readonly callbackFaults: string | undefined;
}

export type Command =
  | { readonly kind: 'usage' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'fake'; readonly fake: FakeCommand };

/** The command line is invalid. */
export class UsageError extends Error {}

export const help = `Usage: npx marketplace-seller-sdk fake [options]

Serves a fake marketplace over HTTP, for programs in any language.
Open its base URL in a browser for a dashboard.

  --port NUMBER          port to listen on; 0 picks a free port (default: 4010)
  --host ADDRESS         address to listen on; 0.0.0.0 accepts connections from other machines
                         (default: 127.0.0.1)
  --seed FILE            initial content: a .json file, or a .js or .ts module with a default export,
                         with users, items, questions, packs, flex, contacts and faults
                         (default: a small sample)
  --faults FAULT         fault to inject, e.g. 'status=503 times=2' or 'delayMs=300 probability=0.1';
                         repeatable
  --callback URL         post notifications to this URL; repeatable
  --callback-faults TEXT shares of these notifications that arrive late, twice or in an odd format,
                         e.g. 'late=0.5 twice=0.3 odd=0.2 seed=7'
  --allow-host NAME      host name that may open the dashboard; repeatable
  --control-token TOKEN  token that calls to /__fake/ need in the header x-fake-token, with 16 or more
                         letters, digits, - and _ (default: a random token)
  --quiet                do not print requests
  --version              print the version
  --help                 print this help

The file docs/guide/fake-server.md of this package describes the dashboard, seed files, faults and
control endpoints.`;

/** Parses the arguments. @throws {UsageError} when they are invalid */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parseOptions(args);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [command, ...more] = positionals;
  if (command === undefined) return { kind: 'usage' };
  if (command !== 'fake') throw new UsageError(`Unknown command "${command}"; the command is fake`);
  if (more.length > 0) throw new UsageError(`fake takes no arguments, only options: "${more.join(' ')}"`);
  return {
    kind: 'fake',
    fake: {
      port: parsePort(values.port),
      host: values.host,
      seed: values.seed,
      faults: values.faults,
      quiet: values.quiet,
      names: values['allow-host'],
      controlToken: parseControlToken(values['control-token']),
      callbacks: values.callback,
      callbackFaults: values['callback-faults'],
    },
  };
}

const noValues: string[] = [];
const options = {
  port: { type: 'string', default: '4010' },
  host: { type: 'string', default: '127.0.0.1' },
  seed: { type: 'string' },
  faults: { type: 'string', multiple: true, default: noValues },
  callback: { type: 'string', multiple: true, default: noValues },
  'callback-faults': { type: 'string' },
  'allow-host': { type: 'string', multiple: true, default: noValues },
  'control-token': { type: 'string' },
  quiet: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsConfig['options'];

function parseOptions(args: readonly string[]) {
  assertKnown(args);
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws {UsageError} that names an unknown option and the most similar one */
function assertKnown(args: readonly string[]): void {
  const names = Object.keys(options);
  const given = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  const unknown = given
    .map((arg) => /^--([^=]+)/.exec(arg)?.[1])
    .find((name) => name !== undefined && !names.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, names);
  throw new UsageError(`Unknown option '--${unknown}'${near === undefined ? '' : `; did you mean --${near}?`}`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`);
}

function parseControlToken(text: string | undefined): string | undefined {
  if (text === undefined || isControlToken(text)) return text;
  throw new UsageError('--control-token must have 16 or more letters, digits, - and _');
}
