import { FakeMarketplaceError } from '../errors.js';
import { didYouMean } from '../../core/options/nearest.js';

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
