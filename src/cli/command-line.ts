import { parseArgs } from 'node:util';

/** What the command line asks for. */
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

/** The command line makes no sense; the message says what would. */
export class UsageError extends Error {}

export const help = `Usage: npx marketplace-seller-sdk fake [options]

Serves a fake marketplace over HTTP, to programs in any language, with a page at / to look at it.

  --port NUMBER          where to listen; 0 takes a free port (4010)
  --host ADDRESS         who is listened to; 0.0.0.0 is everyone who reaches this machine (127.0.0.1)
  --seed FILE            what there is: JSON of users, items, questions, packs, flex, contacts, faults
  --faults FAULT         what goes wrong, e.g. 'status=503 times=2' or 'delayMs=300 probability=0.1';
                         can be given several times
  --allow-host NAME      another name under which the page may be opened; can be given several times
  --control-token TOKEN  what calls to /__fake/ carry as x-fake-token; made up unless given
  --quiet                prints only where it listens, not each request
  --version              prints the version
  --help                 prints this

The page, the seed file, faults and controls are described in docs/guide/fake-server.md.`;

/** Reads the arguments. @throws {UsageError} when they make no sense. */
export function readCommandLine(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [command, ...more] = positionals;
  if (command === undefined) throw new UsageError('Say what to do: fake');
  if (command !== 'fake') throw new UsageError(`There is no command "${command}"; there is fake`);
  if (more.length > 0) throw new UsageError(`fake takes options only, not "${more.join(' ')}"`);
  return {
    kind: 'fake',
    fake: {
      port: portOf(values.port),
      host: values.host,
      seed: values.seed,
      faults: values.faults,
      quiet: values.quiet,
      names: values['allow-host'],
      controlToken: values['control-token'],
    },
  };
}

function parsed(args: readonly string[]) {
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

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}"`);
}
