import { existsSync } from 'node:fs';
import { isObject } from '../../core/json/json.js';
import { openInbox } from '../../notifications/open-inbox.js';
import { sqliteTokens } from '../../oauth/sqlite-tokens.js';
import type { TokenStore } from '../../oauth/tokens.js';
import { openOutbox } from '../../outbox/open-outbox.js';
import { reviewStates, toReview, type ReviewItem, type ReviewState } from '../../work/review.js';
import { CliError, UsageError, type Command, type Values } from '../command.js';
import { exportedBy, formatRows, isModule, limitOf, storeOf } from './stored.js';

/** `review`: shows what a person has to look at. */
export const review: Command = {
  name: 'review',
  summary: `Lists what a person has to look at, in one place: sellers who have to authorise again (revoked), what was given up
(failed), what may have been sent (unsure), what moderation rejected (rejected), and what waits because it failed or moderation has
not decided (held). FILE is the file of a sqliteStore, or a .js, .mjs, .cjs or .ts module that exports any store as \`store\`. The
commands inbox and outbox replay and remove what it lists, by its key. A file is not created.`,
  argument: 'FILE',
  options: {
    sellers: { value: 'FILE', text: 'a file of sqliteTokens, or a module that exports a store of tokens as `tokens`' },
    state: { value: 'STATE', text: `only ${reviewStates.join(', ')}` },
    limit: { value: 'NUMBER', text: 'how many it lists', default: '100' },
    json: { text: 'print the list as JSON' },
  },
  run: async (values, io) => {
    const [state, limit] = [stateOf(values), limitOf(values)];
    const store = await storeOf(values.argument);
    const tokens = await tokensOf(values.text('sellers'));
    const [inbox, outbox] = [openInbox(store), openOutbox(store)];
    try {
      const items = await toReview({ inbox, outbox, ...(tokens && { sellers: tokens }), limit, state });
      io.out(values.has('json') ? JSON.stringify(items, null, 2) : format(items));
      return 0;
    } finally {
      await inbox.close();
      await outbox.close();
      await tokens?.close?.();
    }
  },
};

function format(items: readonly ReviewItem[]): string {
  const rows = items.map(({ state, of, key, user_id, about, since, reason }) => {
    return { state, of, user_id, about, sinceAt: since ?? null, reason, key };
  });
  return rows.length > 0 ? formatRows(rows) : 'none';
}

/** @throws {UsageError} */
function stateOf(values: Values): ReviewState | undefined {
  const given = values.text('state');
  const state = reviewStates.find((each) => each === given);
  if (given === state) return state;
  throw new UsageError(`--state must be ${reviewStates.join(', ')}, not "${given}"`);
}

/** @throws {CliError} when there is no such file, or a module exports no store of tokens */
async function tokensOf(path: string | undefined): Promise<TokenStore | undefined> {
  if (path === undefined) return undefined;
  if (!existsSync(path)) throw new CliError(`--sellers: the file ${path} does not exist`);
  if (!isModule(path)) return sqliteTokens(path);
  const isMeant = (each: unknown): boolean => isObject(each) && typeof each.list === 'function';
  const exported = await exportedBy(path, 'tokens', isMeant);
  if (exported !== undefined) return exported as TokenStore;
  throw new CliError(`${path} exports no store of tokens with a \`list\`; export it as \`tokens\``);
}
