import { ConfigurationError } from '../core/errors/errors.js';
import { isObject } from '../core/json/plain-object.js';
import { withMethods } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';

const kept = ['add', 'get', 'list', 'counts', 'again', 'remove'];
const leased = ['claim', 'renew', 'note', 'settle'];

const remedy = 'takes what sqliteStore, postgresStore, memoryStore or bullmq returns';

/** What a value is lacking to be a store of an inbox or an outbox. */
export const storeRule: Rule = (value) => {
  if (typeof value === 'string') return `${remedy}: sqliteStore(path) for a file`;
  if (!isObject(value)) return remedy;
  if (has(value, ...kept) && (has(value, ...leased) || has(value, 'works'))) return undefined;
  return `${remedy}${hintOf(value)}`;
};

function hintOf(value: object): string {
  if (has(value, 'load', 'save')) return '; this is a store of tokens';
  if (has(value, 'query')) return '; a pool becomes one by postgresStore({ pool })';
  return '';
}

/** Stores had options once, of which nothing would be left. @throws {ConfigurationError} when there are any */
export function assertNoOptions(name: string, options: readonly unknown[]): void {
  if (options.every((each) => each === undefined)) return;
  throw new ConfigurationError(`${name} has no options; \`maxWaiting\` is an option of createInbox`);
}

/** An instance of a class has its methods in its prototype. */
function has(value: object, ...names: readonly string[]): boolean {
  return withMethods(...names)(value) === undefined;
}
