import { FakeMarketplaceError } from './errors.js';

/** Runs a step; an error names the field that it comes from. @throws {FakeMarketplaceError} */
export function inField<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    // The second part of the message is a remedy in this process, which the caller cannot apply.
    const [reason = ''] = error.messages.join('; ').split('; ');
    const inner = /^`([\w.-]+)`: (.*)$/s.exec(reason);
    const message = inner ? `\`${name}.${inner[1]}\`: ${inner[2]}` : `\`${name}\`: ${reason}`;
    throw new FakeMarketplaceError(message, { cause: error });
  }
}
