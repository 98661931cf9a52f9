import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../core/json/json.js';
import { millisecondsOf } from '../../core/schema/define.js';
import { openInbox } from '../../notifications/open-inbox.js';
import type { StoredJob } from '../../outbox/options.js';
import { openOutbox, type Accepted } from '../../outbox/open-outbox.js';
import { pagesOf } from '../../work/lists.js';
import type { DeadLetters, Rejected, StoredEntries, WaitingEntries } from '../../work/lists.js';
import { printable } from '../../work/log.js';
import { sqliteStore } from '../../work/sqlite.js';
import { storeRule, type Engine, type Store } from '../../work/store.js';
import { CliError, UsageError, type Command, type Options, type Values } from '../command.js';

/** The options that say which pieces of work are meant: those for which all of it is true. */
export const filters = {
  key: { value: 'KEY', text: 'only the one with this key' },
  since: {
    value: 'TIME',
    text: 'only those that were added, or have ended, since then: 2030-01-01T12:00:00Z, or 30m, 12h or 7d ago',
  },
  error: { value: 'TEXT', text: 'only those whose last error, or reason, contains this' },
} satisfies Options;

/** Returns what decides whether something is meant. @throws {UsageError} when `--since` is no time */
function filterOf(values: Values): IsMeant {
  const [key, topic, error = ''] = ['key', 'topic', 'error'].map((name) => values.text(name));
  const since = timeOf(values.text('since'));
  return (found) =>
    (key === undefined || found.key === key) &&
    (topic === undefined || String(found.row.topic).toLowerCase() === topic.toLowerCase()) &&
    found.at >= since &&
    (found.failure ?? '').includes(error);
}

const msOf: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws {UsageError} */
function timeOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? millisecondsOf(text) : Date.now() - Number(count) * (msOf[unit] ?? 0);
  if (Number.isFinite(time)) return time;
  throw new UsageError(`--since must be a time such as 2030-01-01T12:00:00Z, 30m, 12h or 7d, not "${text}"`);
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats counts: one line for each. */
export function formatStats(stats: object): string {
  const entries = Object.entries(stats);
  const width = Math.max(0, ...entries.map(([name]) => titleOf(name).length));
  return entries.map(([name, value]) => `${titleOf(name).padEnd(width)}  ${formatValue(name, value)}`).join('\n');
}

/** Formats rows as a table. */
export function formatRows(rows: readonly WorkRow[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => formatValue(name, row[name])));
  const lines = [names.map(titleOf), ...cells];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `oldestAgeMs` is `oldest age`, and `addedAt` is `added`. */
function titleOf(name: string): string {
  const words = name.replace(/(?:Ms|At)$/, '').replace(/_/g, ' ');
  return words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value !== 'number') return printable(typeof value === 'string' ? value : JSON.stringify(value));
  if (name.endsWith('At')) return new Date(value).toISOString().replace(/\.\d+Z$/, 'Z');
  return name.endsWith('Ms') ? formatDuration(value) : String(value);
}

/** The largest unit that fits, and the next smaller one: `2 h 5 min`. */
function formatDuration(ms: number): string {
  const first = units.findIndex(([, unitMs]) => ms >= unitMs);
  if (first < 0) return ms > 0 ? 'under 1 s' : 'now';
  const parts = units.slice(first, first + 2).map(([unit, unitMs], index) => {
    const count = Math.floor(index === 0 ? ms / unitMs : (ms % (units[first]?.[1] ?? 1)) / unitMs);
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter(Boolean).join(' ');
}

/** `inbox`: shows and changes what an inbox of notifications holds, while others handle it. */
export const inbox: Command = storedCommand({
  name: 'inbox',
  summary: `Shows and changes the notifications of an inbox while others handle them: counts them (stats), lists those that
wait with their failed attempts, last error and next attempt (waiting), those that were given up (dead) and those whose
handler sent a message that moderation rejected (rejected), has what was given up handled again (replay), has what waits
handled now (retry-now), removes notifications (remove; the key of what has ended stays known), and frees the key of
one that has ended (forget), which is handled again if it is delivered again. FILE is the file of a sqliteStore, or a .js, .mjs, .cjs or .ts
module that exports any store as \`store\`. A file is not created.`,
  filters: { topic: { value: 'TOPIC', text: 'only those of this topic' } },
  open: (store) =>
    storedWork(openInbox(store), ({ notification: { topic, user_id, resource } }) => ({ topic, user_id, resource })),
});

/** `outbox`: shows and changes what an outbox holds, while others send. */
export const outbox: Command = storedCommand({
  name: 'outbox',
  summary: `Shows and changes the jobs of an outbox while others send them: counts them (stats), lists those that wait
with their failed attempts, last error and next attempt (waiting), those that were given up (dead), those with a message
that moderation rejected (rejected) and those that were carried out (accepted), has what was given up sent again
(replay), has what waits sent now (retry-now), removes jobs (remove; the key of what has ended stays known, so it is not
sent again), and frees the key of one that has ended (forget): if it is added again, it is sent a second time. FILE is the file of a sqliteStore, or a .js, .mjs, .cjs or .ts module that exports any
store as \`store\`. A file is not created.`,
  lists: ['waiting', 'dead', 'rejected', 'accepted'],
  open: (store) => storedWork(openOutbox(store), columnsOf),
});

function columnsOf({ user_id, pack_id, steps }: StoredJob): WorkRow {
  return { sends: steps.map(({ endpoint }) => endpoint).join(' + '), user_id, pack_id: pack_id ?? null };
}

/** A command that shows and changes what a store holds. */
interface StoredCommand extends Pick<Command, 'name' | 'summary'> {
  /** More options that say what is meant. */
  readonly filters?: Options;
  readonly lists?: readonly ListName[];
  readonly open: (store: Store | Engine) => StoredWork;
}

/** Creates a command for what a store holds, with the actions that all such commands have. */
function storedCommand({
  name,
  summary,
  open,
  filters: more = {},
  lists: names = ['waiting', 'dead', 'rejected'],
}: StoredCommand): Command {
  const { key, ...others } = filters;
  const allFilters = { key, ...more, ...others };
  const words = names.map((each) => `\`${each}\``);
  const lists = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const actions = actionsOf(names);
  return {
    name,
    summary,
    argument: 'FILE',
    actions: Object.keys(actions),
    options: {
      ...allFilters,
      state: { value: 'STATE', text: `${lists}: what \`remove\` removes; it needs a filter too` },
      limit: { value: 'NUMBER', text: `how many ${lists} lists`, default: '100' },
      json: { text: 'print the results as JSON' },
    },
    run: async (values, io) => {
      assertUsable(values, allFilters, names);
      const work = open(await storeOf(values.argument));
      try {
        const result = (await actions[values.action]?.(work, values)) ?? {};
        io.out(values.has('json') ? JSON.stringify(result, null, 2) : format(result));
        return 0;
      } finally {
        await work.close();
      }
    },
  };
}

function format(result: ActionResult): string {
  if (!Array.isArray(result)) return formatStats(result);
  return result.length > 0 ? formatRows(result as readonly WorkRow[]) : 'none';
}

/** A row of a table: by column, in their order. A column in `...Ms` is a duration, one in `...At` a time since 1970. */
export type WorkRow = Readonly<Record<string, string | number | null>>;

/** What `openInbox` and `openOutbox` return. */
interface Opened<Entry extends { readonly key: string }> {
  readonly waiting: WaitingEntries<Entry>;
  readonly deadLetters: DeadLetters<Entry>;
  readonly rejected: StoredEntries<Rejected<Entry>>;
  /** Only of an outbox. */
  readonly accepted?: StoredEntries<Accepted> | undefined;
  forget(key: string): Promise<boolean>;
  stats(): Promise<object>;
  close(): Promise<void>;
}

/** The words that list something. */
type ListName = 'waiting' | 'dead' | 'rejected' | 'accepted';

/** Something that is listed, and what a filter looks at. */
interface FoundWork {
  readonly key: string;
  readonly row: WorkRow;
  /** When it was added, or ended, in milliseconds since 1970. */
  readonly at: number;
  readonly failure?: string | undefined;
}

type IsMeant = (found: FoundWork) => boolean;

/** One of the lists of an inbox or an outbox. */
interface StoredList {
  /** All of it, page by page. */
  pages(): AsyncIterable<readonly FoundWork[]>;
  remove(isMeant: IsMeant): Promise<number>;
}

/** What a command shows and changes: the notifications of an inbox, or the jobs of an outbox. */
interface StoredWork extends Pick<Opened<never>, 'stats' | 'close'> {
  /** By the word that lists it. */
  readonly lists: Readonly<Partial<Record<ListName, StoredList>>>;
  forget(key: string): Promise<boolean>;
  /** A person has looked at this one: what is unknown of it is done again. */
  replay(key: string): Promise<boolean>;
  replayAll(isMeant: IsMeant): Promise<number>;
  retryAll(isMeant: IsMeant): Promise<number>;
}

/** What a command shows and changes of something opened. `columnsOf` says what an entry is about. */
export function storedWork<Entry extends { readonly key: string }>(
  opened: Opened<Entry>,
  columnsOf: (entry: Entry) => WorkRow,
): StoredWork {
  const found = (entry: Entry, at: number, failure: string | undefined, columns: WorkRow): FoundWork => {
    const { key } = entry;
    return { key, row: { key, ...columnsOf(entry), ...columns }, at, failure };
  };
  const waiting = listed(opened.waiting, ({ entry, attempts, nextInMs, addedAt, failure }) => {
    const columns = { attempts, nextInMs: nextInMs ?? null, addedAt, error: failure ?? null };
    return found(entry, addedAt, failure, columns);
  });
  const dead = listed(opened.deadLetters, ({ entry, attempts, deadLetteredAt, failure: error }) =>
    found(entry, deadLetteredAt, error, { attempts, deadLetteredAt, error }),
  );
  const rejected = listed(opened.rejected, ({ entry, rejectedAt, reason }) =>
    found(entry, rejectedAt, reason, { rejectedAt, reason }),
  );
  const accepted =
    opened.accepted &&
    listed(opened.accepted, ({ entry, acceptedAt }) =>
      found(entry as unknown as Entry, acceptedAt, undefined, { acceptedAt }),
    );
  return {
    stats: () => opened.stats(),
    lists: { waiting, dead, rejected, ...(accepted && { accepted }) },
    forget: (key) => opened.forget(key),
    replay: (key) => opened.deadLetters.replay(key),
    replayAll: (isMeant) => opened.deadLetters.replayAll((each) => isMeant(dead.foundOf(each))),
    retryAll: (isMeant) => opened.waiting.retryAll((each) => isMeant(waiting.foundOf(each))),
    close: () => opened.close(),
  };
}

/** A list, and what is found in it. */
function listed<Each extends { readonly entry: { readonly key: string }; readonly number: number }>(
  entries: Pick<StoredEntries<Each>, 'list' | 'removeAll'>,
  foundOf: (each: Each) => FoundWork,
): StoredList & { readonly foundOf: (each: Each) => FoundWork } {
  return {
    foundOf,
    pages: async function* () {
      for await (const page of pagesOf((each) => entries.list(each))) yield page.map(foundOf);
    },
    remove: (isMeant) => entries.removeAll((each) => isMeant(foundOf(each))),
  };
}

/** What an action has to print: counts, or rows. */
type ActionResult = object | readonly WorkRow[];

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
export function limitOf(values: Values): number {
  return values.number('limit', 1, 999_999_999);
}

function orOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

/**
 * Returns the store that a path names: a file of a `sqliteStore`, or a module that exports any store.
 *
 * @throws {CliError} when a module cannot be imported, or exports no store
 */
export async function storeOf(path: string): Promise<Store | Engine> {
  if (!isModule(path)) return sqliteStore(path);
  const exported = await exportedBy(path, 'store', (each) => storeRule(each) === undefined);
  if (exported !== undefined) return exported as Store;
  throw new CliError(
    `${path} exports no store; export what sqliteStore, postgresStore, memoryStore or bullmq returns, as \`store\``,
  );
}

export const isModule = (path: string): boolean => /\.[cm]?[jt]s$/.test(path);

/**
 * Imports a module, and returns what it exports by a name, or else as anything. A CommonJS module is its default export.
 *
 * @throws {CliError} when it cannot be imported
 */
export async function exportedBy(path: string, name: string, isMeant: (each: unknown) => boolean): Promise<unknown> {
  const module = await (import(pathToFileURL(resolve(path)).href) as Promise<unknown>).catch((error: unknown) => {
    const { code, message } = error as { code?: string; message?: string };
    throw new CliError(`cannot import ${path}: ${code ?? message ?? String(error)}`);
  });
  const { default: main, ...named } = module as Readonly<Record<string, unknown>>;
  const all: Readonly<Record<string, unknown>> = { ...(isObject(main) && main), ...named };
  return [all[name], main, ...Object.values(all)].find(isMeant);
}
