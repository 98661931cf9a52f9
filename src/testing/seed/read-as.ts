import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplaceError } from '../errors.js';

/** Validates a value. @throws {SeedError} with one message per problem */
export function readAs<Out>(schema: Schema<Out, unknown>, value: unknown): Out {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SeedError(
    parsed.error.issues.map(({ path, message }) => {
      const location = path.map(String).join('.');
      return location === '' || message.includes(`\`${location}`) ? message : `\`${location}\`: ${message}`;
    }),
  );
}

/** A seed, or a part of one, is invalid. It has no `kind` of its own: callers get a `FakeMarketplaceError`. */
export class SeedError extends FakeMarketplaceError {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.join('; '));
    this.messages = messages;
  }
}
