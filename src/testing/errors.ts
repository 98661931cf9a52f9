import { SellerError } from '../core/errors/seller-error.js';
import { didYouMean } from '../core/options/rules.js';
import type { Schema } from '../core/schema/schema.js';

/**
 * The fake marketplace was used in a wrong way, e.g. with an item of a user that does not exist.
 *
 * Remedy: do what the message says, e.g. add the user or item before using it.
 */
export class FakeMarketplaceError extends SellerError {
  static override readonly kind: string = 'FakeMarketplaceError';
  /** What is wrong, one sentence each: several for a seed in which several fields are wrong. */
  readonly messages: readonly string[];

  constructor(message: string | readonly string[], options?: ErrorOptions) {
    const messages = [message].flat();
    super(`FakeMarketplace: ${messages.join('; ')}`, options);
    this.messages = messages;
  }
}

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

/** @throws {FakeMarketplaceError} when a value is no object, which JavaScript code can pass */
export function assertObject(what: string, given: unknown, remedy = ''): asserts given is object {
  if (typeof given !== 'object' || given === null) throw new FakeMarketplaceError(`${what} is an object${remedy}`);
}

/** @throws {FakeMarketplaceError} when an object has an unknown field, which JavaScript code can pass */
export function assertFields(what: string, given: object, fields: readonly string[]): void {
  assertObject(what, given, ` with fields of ${fields.join(', ')}`);
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, fields, `the fields are ${fields.join(', ')}`, '`');
  throw new FakeMarketplaceError(`${what} has no field \`${unknown}\`; ${hint}`);
}

/** @throws {FakeMarketplaceError} when a value is no text, which JavaScript code can pass */
export function assertText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new FakeMarketplaceError(`\`${name}\` is a text, not ${String(value)}`);
}

/** Validates a value. @throws {FakeMarketplaceError} with one message per problem */
export function readAs<Out>(schema: Schema<Out, unknown>, value: unknown): Out {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new FakeMarketplaceError(
    parsed.error.issues.map(({ path, message }) => {
      const location = path.map(String).join('.');
      return location === '' || message.includes(`\`${location}`) ? message : `\`${location}\`: ${message}`;
    }),
  );
}
