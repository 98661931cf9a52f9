import { parseArgs } from 'node:util';

/** The options of the `fake` command. */
export interface FakeCommand {
  readonly port: number;
  readonly host: string;
  readonly seed: string | undefined;
  readonly faults: readonly string[];
  readonly quiet: boolean;
  readonly names: readonly string[];
  readonly controlToken: string | undefined;
}

export type Command =
  { readonly kind: 'help' } | { readonly kind: 'version' } | { readonly kind: 'fake'; readonly fake: FakeCommand };

/** The command line is invalid. */
export class UsageError extends Error {}

export const help = `Usage: npx marketplace-seller-sdk fake [options]

Serves a fake marketplace over HTTP for programs in any language, with a dashboard at /.

  --port NUMBER          port to listen on; 0 picks a free port (default 4010)
  --host ADDRESS         address to bind; 0.0.0.0 accepts connections from other machines
                         (default 127.0.0.1)
  --seed FILE            JSON file with the initial users, items, questions, packs, flex, contacts
                         and faults
  --faults FAULT         fault to inject, e.g. 'status=503 times=2' or 'delayMs=300 probability=0.1';
                         repeatable
  --allow-host NAME      host name that may open the dashboard; repeatable
  --control-token TOKEN  x-fake-token of the calls to /__fake/; random by default
  --quiet                do not print requests
  --version              print the version
  --help                 print this help

The dashboard, seed files, faults and control endpoints are described in docs/guide/fake-server.md.`;

/** Parses the arguments. @throws {UsageError} when they are invalid */
export function parseCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parseOptions(args);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [command, ...more] = positionals;
  if (command === undefined) throw new UsageError('A command is missing: fake');
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
      controlToken: values['control-token'],
    },
  };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        seed: { type: 'string' },
        faults: { type: 'string', multiple: true, default: [] },
        'allow-host': { type: 'string', multiple: true, default: [] },
        'control-token': { type: 'string' },
        quiet: { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`);
}
