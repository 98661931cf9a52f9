import { readFile } from 'node:fs/promises';
import { FakeMarketplace } from '../testing/marketplace.js';
import { FakeMarketplaceError } from '../testing/errors.js';
import { listen } from '../testing/server.js';
import type { Listening } from '../testing/server.js';
import { Dashboard } from '../testing/dashboard/dashboard.js';
import { applySeed } from '../testing/seed/apply.js';
import { sample } from '../testing/seed/sample.js';
import { SeedError, readAs, seed } from '../testing/seed/schema.js';
import type { Seed } from '../testing/seed/schema.js';
import { faultFrom } from '../testing/seed/fault.js';
import { UsageError, help, readCommandLine } from './command-line.js';
import type { FakeCommand } from './command-line.js';
import { parseFault } from './parse-fault.js';
import { formatBanner, formatRequest } from './format.js';

/** What a program is run in. */
export interface ProcessIO {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the program is to end. */
  readonly ended: () => Promise<void>;
}

/** What was asked for cannot be done; the message says why, and what can. */
class CliError extends Error {}

/** Runs the program. @returns its exit code: 0 for done, 1 for could not, 2 for not understood. */
export async function run(args: readonly string[], surroundings: ProcessIO): Promise<number> {
  try {
    const command = readCommandLine(args);
    if (command.kind === 'help') surroundings.out(help);
    else if (command.kind === 'version') surroundings.out(await version());
    else await serve(command.fake, surroundings);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\nTry --help.`, 2);
    if (error instanceof CliError) return complain(error.message, 1);
    throw error;
  }

  function complain(message: string, code: number): number {
    surroundings.err(`marketplace-seller-sdk: ${message}`);
    return code;
  }
}

async function serve(command: FakeCommand, { out, ended }: ProcessIO): Promise<void> {
  const planted = await seedOf(command.seed);
  const create = (): FakeMarketplace => {
    const marketplace = new FakeMarketplace();
    withLocation(command.seed ?? 'the sample', () => applySeed(marketplace, planted ?? readAs(seed, sample())));
    for (const words of command.faults)
      withLocation(`--faults '${words}'`, () => marketplace.faults.inject(faultFrom(parseFault(words))));
    return marketplace;
  };
  const marketplace = create();
  const { controlToken, names } = command;
  const page = withLocation('--control-token', () => new Dashboard(marketplace, { controlToken, names, create }));
  const server = await listening(page, command);
  out(formatBanner(server.url, command.host, marketplace, page.controlToken));
  if (!command.quiet) page.journal.on((entry) => entry.state !== 'open' && out(formatRequest(entry)));
  await ended();
  await server.close();
}

async function listening(page: Dashboard, { port, host }: FakeCommand): Promise<Listening> {
  try {
    return await listen(page.fetch, { port, host });
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { code } = (error.cause ?? {}) as { code?: string };
    if (code === 'EADDRINUSE') throw new CliError(`port ${port} is taken; --port 0 takes a free one`);
    throw new CliError(`cannot listen on ${host}, port ${port}: ${code ?? error.message}`);
  }
}

async function seedOf(path: string | undefined): Promise<Seed | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as { code?: string };
    throw new CliError(code === 'ENOENT' ? `there is no seed file ${path}` : `cannot read ${path}: ${code ?? ''}`);
  });
  return withLocation(path, () => readAs(seed, JSON.parse(text)));
}

/** Says of what a complaint is. @throws {CliError} with everything that is wrong. */
function withLocation<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${place} is not JSON: ${error.message}`);
    if (error instanceof SeedError) throw new CliError([`${place}:`, ...error.sentences].join('\n  '));
    if (error instanceof FakeMarketplaceError)
      throw new CliError(`${place}: ${error.message.replace(/^FakeMarketplace: /, '')}`);
    throw error;
  }
}

/** The version of the package that this program is part of. */
async function version(): Promise<string> {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const manifest = await readFile(new URL('package.json', folder), 'utf8').catch(() => undefined);
    if (manifest !== undefined) return (JSON.parse(manifest) as { version: string }).version;
  }
}
