import { FakeMarketplaceError } from '../testing/errors.js';
import { CliError } from './errors.js';

/** Adds the location to an error, if there is one. @throws {CliError} with one line per problem */
export function withLocation<T>(location: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const { messages } = error;
    if (location === undefined) throw new CliError(messages.join('; '));
    const start = messages.length === 1 ? ' ' : '\n  ';
    throw new CliError(`${location}:${messages.map((each) => start + each).join('')}`);
  }
}
