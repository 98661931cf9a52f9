import { FakeMarketplaceError } from '../errors.js';
import { nearest } from '../../core/options/nearest.js';

/** @throws {FakeMarketplaceError} when an object has an unknown field, which JavaScript code can pass */
export function assertFields(what: string, given: object, fields: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, fields);
  const hint = near === undefined ? `the fields are ${fields.join(', ')}` : `did you mean \`${near}\`?`;
  throw new FakeMarketplaceError(`${what} has no field \`${unknown}\`; ${hint}`);
}
