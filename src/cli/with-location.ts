import { FakeMarketplaceError } from '../testing/errors.js';
import { SeedError } from '../testing/seed/read-as.js';
import { CliError } from './errors.js';

/** Adds the location to an error, if there is one. @throws {CliError} with one line per problem */
export function withLocation<T>(location: string | undefined, run: () => T): T {
  const prefix = location === undefined ? '' : `${location}: `;
  try {
    return run();
  } catch (error) {
    if (error instanceof SeedError) throw new CliError([`${location ?? ''}:`, ...error.messages].join('\n  '));
    if (error instanceof FakeMarketplaceError)
      throw new CliError(prefix + error.message.replace(/^FakeMarketplace: /, ''));
    throw error;
  }
}
