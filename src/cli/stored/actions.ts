import { UsageError } from '../errors.js';
import type { Options, Values } from '../options.js';
import type { ListName, StoredList, StoredWork, WorkRow } from './stored-work.js';
import { filterOf } from './work-filter.js';

/** What an action has to print: counts, or rows. */
export type ActionResult = object | readonly WorkRow[];

type Action = (work: StoredWork, values: Values) => Promise<ActionResult>;

/** What can be done with stored work that has these lists, by the word that selects it. The first is the default. */
export function actionsOf(lists: readonly ListName[]): Readonly<Record<string, Action>> {
  const listing = lists.map((name): [string, Action] => [name, (work, values) => rowsOf(work.lists[name], values)]);
  return {
    stats: (work) => work.stats(),
    ...Object.fromEntries(listing),
    replay: async (work, values) => ({ replayed: await replay(work, values) }),
    'retry-now': async (work, values) => ({ retried: await work.retryAll(filterOf(values)) }),
    remove: async (work, values) => ({
      removed: (await work.lists[stateOf(values, lists)]?.remove(filterOf(values))) ?? 0,
    }),
    forget: async (work, values) => ({ forgotten: Number(await work.forget(keyOf(values))) }),
  };
}

/** Nothing is opened with a wrong command line. @throws {UsageError} */
export function assertUsable(values: Values, filters: Options, lists: readonly ListName[]): void {
  filterOf(values);
  limitOf(values);
  if (values.action === 'forget') keyOf(values);
  if (values.action !== 'remove') return;
  stateOf(values, lists);
  // All at once are not removed by an option that was forgotten.
  const names = Object.keys(filters);
  if (names.every((name) => values.text(name) === undefined))
    throw new UsageError(`remove needs ${orOf(names.map((name) => `--${name}`))}`);
}

/** For a single one, a person has looked: what is unknown of it is done again. */
async function replay(work: StoredWork, values: Values): Promise<number> {
  const key = values.text('key');
  return key === undefined ? work.replayAll(filterOf(values)) : Number(await work.replay(key));
}

async function rowsOf(list: StoredList | undefined, values: Values): Promise<readonly WorkRow[]> {
  const isMeant = filterOf(values);
  const limit = limitOf(values);
  const rows: WorkRow[] = [];
  for await (const page of list?.pages() ?? []) {
    rows.push(...page.filter(isMeant).map(({ row }) => row));
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}

/** @throws {UsageError} */
function stateOf(values: Values, lists: readonly ListName[]): ListName {
  const found = lists.find((name) => name === values.text('state'));
  if (found === undefined) throw new UsageError(`remove needs ${orOf(lists.map((name) => `--state ${name}`))}`);
  return found;
}

/** What is forgotten may be sent again, so each key is named. @throws {UsageError} */
function keyOf(values: Values): string {
  const key = values.text('key');
  if (key === undefined) throw new UsageError('forget needs --key');
  return key;
}

/** @throws {UsageError} */
function limitOf(values: Values): number {
  return values.number('limit', 1, 999_999_999);
}

function orOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
