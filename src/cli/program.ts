import { version } from '../core/pipeline/version.js';
import { FakeMarketplace } from '../testing/marketplace.js';
import { FakeMarketplaceError } from '../testing/errors.js';
import { listen } from '../testing/server.js';
import type { Listening } from '../testing/server.js';
import { Dashboard } from '../testing/dashboard/dashboard.js';
import { sample } from '../testing/seed/sample.js';
import { optionLockMsOverHttp } from '../testing/settings.js';
import { SeedError, readAs, seed } from '../testing/seed/schema.js';
import type { Seed } from '../testing/seed/schema.js';
import { faultFrom } from '../testing/seed/fault.js';
import { UsageError, help, parseCommandLine } from './command-line.js';
import type { FakeCommand } from './command-line.js';
import { parseDeliveryFaults, parseFault } from './parse-fault.js';
import { readSeed } from './read-seed.js';
import { formatBanner, formatRequest } from './format.js';

/** The process that the program runs in. */
export interface ProcessIO {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the program must stop. */
  readonly ended: () => Promise<void>;
}

/** The command cannot be carried out. */
class CliError extends Error {}

/** Runs the program. @returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line */
export async function run(args: readonly string[], io: ProcessIO): Promise<number> {
  try {
    const command = parseCommandLine(args);
    if (command.kind === 'usage') {
      io.err(help);
      return 2;
    }
    if (command.kind === 'help') io.out(help);
    else if (command.kind === 'version') io.out(version);
    else await serve(command.fake, io);
    return 0;
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

async function serve(command: FakeCommand, { out, ended }: ProcessIO): Promise<void> {
  const seedFromFile = command.seed === undefined ? undefined : await loadSeed(command.seed);
  const create = (): FakeMarketplace => {
    const marketplace = new FakeMarketplace({ settings: { optionLockMs: optionLockMsOverHttp } });
    withLocation(command.seed ?? 'the sample', () => marketplace.seed(seedFromFile ?? sample()));
    for (const text of command.faults)
      withLocation(`--faults '${text}'`, () => marketplace.faults.inject(faultFrom(parseFault(text))));
    subscribe(marketplace, command);
    return marketplace;
  };
  const marketplace = create();
  const { controlToken, names } = command;
  const dashboard = new Dashboard(marketplace, { controlToken, names, create });
  const server = await listenOrFail(dashboard, command);
  out(formatBanner(server.url, command.host, marketplace, dashboard.controlToken));
  if (!command.quiet) printRequests(dashboard, out);
  await ended();
  await server.close();
}

/** Subscribes the callbacks of the command line. @throws {CliError} when one is not valid */
function subscribe({ notifications }: FakeMarketplace, { callbacks, callbackFaults }: FakeCommand): void {
  const faults =
    callbackFaults === undefined
      ? undefined
      : withLocation(`--callback-faults '${callbackFaults}'`, () => parseDeliveryFaults(callbackFaults));
  for (const callback of callbacks)
    withLocation(`--callback ${callback}`, () => notifications.subscribe({ callback, faults }));
}

/** Prints one line per request, when it is done. */
function printRequests({ requestLog }: Dashboard, out: ProcessIO['out']): void {
  let lastPrinted: readonly number[] = [];
  requestLog.on((entry) => {
    // An entry can change again after its end, when the text of its body becomes known.
    if (entry.state === 'open' || lastPrinted.includes(entry.id)) return;
    lastPrinted = [...lastPrinted.slice(-199), entry.id];
    out(formatRequest(entry));
  });
}

async function listenOrFail(dashboard: Dashboard, { port, host }: FakeCommand): Promise<Listening> {
  try {
    return await listen(dashboard.fetch, { port, host });
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { code } = (error.cause ?? {}) as { code?: string };
    if (code === 'EADDRINUSE') throw new CliError(`port ${port} is in use; --port 0 picks a free one`);
    throw new CliError(`cannot listen on ${host}, port ${port}: ${code ?? error.message}`);
  }
}

async function loadSeed(path: string): Promise<Seed> {
  try {
    const content = await readSeed(path);
    return withLocation(path, () => readAs(seed, content));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw new CliError(`the seed file ${path} does not exist`);
    if (error instanceof SyntaxError) throw new CliError(`${path} is not valid JSON: ${error.message}`);
    throw new CliError(`cannot read ${path}: ${code ?? String(error)}`);
  }
}

/** Adds the location to an error. @throws {CliError} with one line per problem */
function withLocation<T>(location: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${location} is not valid JSON: ${error.message}`);
    if (error instanceof SeedError) throw new CliError([`${location}:`, ...error.messages].join('\n  '));
    if (error instanceof FakeMarketplaceError)
      throw new CliError(`${location}: ${error.message.replace(/^FakeMarketplace: /, '')}`);
    throw error;
  }
}
