import { pagesOf } from '../../work/pages.js';
import { UsageError } from '../errors.js';
import type { Values } from '../options.js';
import type { GivenUpFacts, StoredWork, WaitingFacts, WorkRow } from './stored-work.js';
import { filterOf, isFiltered } from './work-filter.js';

/** What an action has to print: counts, or rows. */
export type ActionResult = object | readonly WorkRow[];

/** What can be done with stored work, by the word that selects it. The first is the default. */
export const actions: Readonly<Record<string, (work: StoredWork, values: Values) => Promise<ActionResult>>> = {
  stats: (work) => work.stats(),
  waiting: (work, values) => listWaiting(work, values),
  dead: (work, values) => listDead(work, values),
  replay: async (work, values) => ({ replayed: await replay(work, values) }),
  'retry-now': async (work, values) => ({ retried: await work.waiting.retryAll(isWaitingMeant(work, values)) }),
  remove: async (work, values) => ({ removed: await remove(work, values) }),
};

/** Nothing is opened with a wrong command line. @throws {UsageError} */
export function assertUsable(values: Values): void {
  filterOf(values);
  limitOf(values);
  if (values.action !== 'remove') return;
  stateOf(values);
  // All at once are not removed by an option that was forgotten.
  if (!isFiltered(values)) throw new UsageError('remove needs --key, --topic, --since or --error');
}

async function listWaiting(work: StoredWork, values: Values): Promise<readonly WorkRow[]> {
  const isMeant = isWaitingMeant(work, values);
  return firstOf(
    pagesOf((limit, after) => work.waiting.list({ limit, after })),
    (found) => {
      const { entry, attempts, nextInMs = null, addedAt, failure = null } = found;
      const row = { key: entry.key, ...work.columnsOf(entry), attempts, nextInMs, addedAt, error: failure };
      return isMeant(found) ? row : undefined;
    },
    limitOf(values),
  );
}

async function listDead(work: StoredWork, values: Values): Promise<readonly WorkRow[]> {
  const isMeant = isDeadMeant(work, values);
  return firstOf(
    pagesOf((limit, after) => work.deadLetters.list({ limit, after })),
    (found) => {
      const { entry, attempts, deadLetteredAt, failure: error } = found;
      return isMeant(found) ? { key: entry.key, ...work.columnsOf(entry), attempts, deadLetteredAt, error } : undefined;
    },
    limitOf(values),
  );
}

async function firstOf<T>(
  pages: AsyncIterable<readonly T[]>,
  rowOf: (found: T) => WorkRow | undefined,
  limit: number,
): Promise<readonly WorkRow[]> {
  const rows: WorkRow[] = [];
  for await (const page of pages) {
    rows.push(...page.map(rowOf).filter((row) => row !== undefined));
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}

/** For a single one, a person has looked: what is unknown of it is done again. */
async function replay(work: StoredWork, values: Values): Promise<number> {
  const key = values.text('key');
  if (key !== undefined) return Number(await work.deadLetters.replay(key));
  return work.deadLetters.replayAll(isDeadMeant(work, values));
}

function remove(work: StoredWork, values: Values): Promise<number> {
  if (stateOf(values) === 'dead') return work.deadLetters.removeAll(isDeadMeant(work, values));
  return work.waiting.removeAll(isWaitingMeant(work, values));
}

function isWaitingMeant(work: StoredWork, values: Values): (found: WaitingFacts) => boolean {
  const isMeant = filterOf(values);
  return ({ entry, addedAt: at, failure }) =>
    isMeant({ key: entry.key, topic: work.columnsOf(entry).topic, at, failure });
}

function isDeadMeant(work: StoredWork, values: Values): (found: GivenUpFacts) => boolean {
  const isMeant = filterOf(values);
  return ({ entry, deadLetteredAt: at, failure }) =>
    isMeant({ key: entry.key, topic: work.columnsOf(entry).topic, at, failure });
}

/** @throws {UsageError} */
function stateOf(values: Values): 'waiting' | 'dead' {
  const state = values.text('state');
  if (state === 'waiting' || state === 'dead') return state;
  throw new UsageError('remove needs --state waiting or --state dead');
}

/** @throws {UsageError} */
function limitOf(values: Values): number {
  const text = values.text('limit') ?? '';
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--limit must be a number of at least 1, not "${text}"`);
}
