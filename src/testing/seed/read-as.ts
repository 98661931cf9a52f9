import type { Schema } from '../../core/schema/schema.js';
import { FakeMarketplaceError } from '../errors.js';

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
