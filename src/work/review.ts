import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration, integerFrom, ofType, oneOf, withMethods } from '../core/options/rules.js';
import { pagesOf, type PageOfList, type StoredLists } from './lists.js';

/**
 * - `revoked`: a seller has to authorise the application again.
 * - `failed`: given up after its last attempt.
 * - `unsure`: the same, or it waits, and something may have been sent: look whether the buyer has it before it is replayed.
 * - `rejected`: moderation rejected a message.
 * - `held`: it waits because its last attempt failed, or moderation has not decided. It goes on by itself.
 */
export type ReviewState = 'revoked' | 'failed' | 'unsure' | 'rejected' | 'held';

export const reviewStates: readonly ReviewState[] = ['revoked', 'failed', 'unsure', 'rejected', 'held'];

/** Something that a person has to look at. */
export interface ReviewItem {
  /** Its place in the list; the next page begins after it. */
  readonly id: string;
  /** Where it is. */
  readonly of: 'sellers' | 'inbox' | 'outbox';
  readonly state: ReviewState;
  /** What the lists of an inbox and an outbox take, such as `deadLetters.replay`; of a seller, the id. */
  readonly key: string;
  /** The seller. */
  readonly user_id: number;
  /** The resource of a notification, the endpoints of a job, or `authorisation`. */
  readonly about: string;
  /** The last error, or the reason of moderation. */
  readonly reason: string;
  /** Since when, in milliseconds since 1970: when it ended, or was added if it waits. Absent where an earlier version has not kept it. */
  readonly since?: number | undefined;
  /** When it is tried again by itself, in milliseconds; 0 when it is due. Only of what waits. */
  readonly nextInMs?: number | undefined;
}

/** What is looked at: any of the three. */
type ReviewSources = Pick<ReviewOptions, 'inbox' | 'outbox' | 'sellers'>;

/** What to list, and of what. */
export interface ReviewOptions {
  /** An inbox, or what `openInbox` returns. @default none */
  readonly inbox?:
    | StoredLists<{
        readonly key: string;
        readonly notification: { readonly user_id: number; readonly resource: string };
      }>
    | undefined;
  /** An outbox, or what `openOutbox` returns. @default none */
  readonly outbox?:
    | StoredLists<{
        readonly key: string;
        readonly user_id: number;
        readonly steps: readonly { readonly endpoint: string }[];
      }>
    | undefined;
  /** What `createSellers` returns, or a store of tokens. @default none */
  readonly sellers?:
    | {
        list?(): Promise<
          readonly {
            readonly user_id: number;
            readonly state: 'connected' | 'revoked';
            readonly since?: number | undefined;
          }[]
        >;
      }
    | undefined;
  /**
   * Which to list.
   *
   * @default all
   */
  readonly state?: ReviewState | undefined;
  /**
   * The most that are listed.
   *
   * @default 100
   */
  readonly limit?: number | undefined;
  /**
   * Begin after the one with this `id`: the last one of the page before.
   *
   * @default at the first
   */
  readonly after?: string | undefined;
}

/**
 * Lists what a person has to look at, of an inbox, an outbox and sellers: who has to authorise again, what failed, what may have been
 * sent, what moderation rejected, and what is held up. Sellers come first, and what waits comes last, of which the oldest 10,000 are
 * looked at.
 *
 * @example
 * const store = sqliteStore(path);
 * const [inbox, outbox] = [openInbox(store), openOutbox(store)];
 * for (const { of, state, key, about, reason } of await toReview({ inbox, outbox })) {
 *   console.log(state, about, reason);
 *   if (of === 'outbox' && state === 'failed') await outbox.deadLetters.replay(key);
 * }
 * await inbox.close();
 * await outbox.close();
 * @throws {ConfigurationError} when an option is unknown or wrong, there is nothing to look at, or `sellers` has no `list`.
 */
export async function toReview(options: ReviewOptions): Promise<readonly ReviewItem[]> {
  checkConfiguration('toReview', options, rules);
  const { state, limit = 100, after } = options;
  const sections = sectionsOf(options);
  const [, name = '', number = '0'] = afterPattern.exec(after ?? '') ?? [];
  const begin = sections.findIndex((section) => section.name === name);
  if (sections.length === 0) throw new ConfigurationError('toReview takes an `inbox`, an `outbox` or `sellers`');
  if (after !== undefined && begin < 0) throw new ConfigurationError('`after` must be the `id` of what is listed');
  const found: ReviewItem[] = [];
  for (const [index, section] of sections.slice(Math.max(begin, 0)).entries()) {
    if (state !== undefined && !section.states.includes(state)) continue;
    for await (const item of itemsOf(section, index === 0 ? Number(number) : 0)) {
      if (state === undefined || item.state === state) found.push(item);
      if (found.length >= limit) return found;
    }
  }
  return found;
}

const afterPattern = /^(\w+ \w+) (\d+)$/;

const rules = {
  inbox: ofType('object'),
  outbox: ofType('object'),
  sellers: withMethods('list'),
  state: oneOf(...reviewStates),
  limit: integerFrom(1),
  after: ofType('string'),
};

/** A part of the list, in the order of its numbers. */
interface Section {
  readonly name: string;
  /** Which states its items may have. */
  readonly states: readonly ReviewState[];
  /** Those with a number above `after`, without an item for what nobody has to look at. */
  readonly page: (
    page: PageOfList,
  ) => Promise<readonly { readonly number: number; readonly item?: Omit<ReviewItem, 'id'> }[]>;
}

/** How many rows of a section are looked at: of what waits, few are held up. */
const mostRows = 10_000;

async function* itemsOf(section: Section, begin: number): AsyncGenerator<ReviewItem> {
  let rows = 0;
  for await (const found of pagesOf(section.page, { after: begin })) {
    for (const { number, item } of found) if (item) yield { id: `${section.name} ${number}`, ...item };
    rows += found.length;
    if (rows >= mostRows) return;
  }
}

function sectionsOf({ inbox, outbox, sellers }: ReviewSources): readonly Section[] {
  const ofInbox =
    inbox &&
    sectionsOfLists('inbox', inbox, ({ notification: { user_id, resource } }) => ({ user_id, about: resource }));
  const ofOutbox =
    outbox &&
    sectionsOfLists('outbox', outbox, ({ user_id, steps }) => ({
      user_id,
      about: steps.map(({ endpoint }) => endpoint).join(' + '),
    }));
  // What has ended stands before what waits.
  const [ended, waiting] = [0, 2].map((begin) =>
    [ofInbox, ofOutbox].flatMap((sections) => sections?.slice(begin, begin + 2) ?? []),
  );
  return [...(sellers ? [sectionOfSellers(sellers)] : []), ...(ended ?? []), ...(waiting ?? [])];
}

function sectionOfSellers(sellers: NonNullable<ReviewSources['sellers']>): Section {
  const reason = 'the grant has ended: the seller has to authorise the application again';
  return {
    name: 'sellers revoked',
    states: ['revoked'],
    page: async ({ limit, after }) => {
      const all = (await sellers.list?.()) ?? [];
      const revoked = all.filter(({ user_id, state }) => state === 'revoked' && user_id > after);
      return revoked.slice(0, limit).map(({ user_id, since }) => {
        const item = {
          of: 'sellers',
          state: 'revoked',
          key: String(user_id),
          user_id,
          about: 'authorisation',
        } as const;
        return { number: user_id, item: { ...item, reason, ...(since !== undefined && { since }) } };
      });
    },
  };
}

function sectionsOfLists<Entry extends { readonly key: string }>(
  of: 'inbox' | 'outbox',
  { deadLetters, rejected, waiting }: StoredLists<Entry>,
  describe: (entry: Entry) => { readonly user_id: number; readonly about: string },
): readonly Section[] {
  const about = (entry: Entry) => ({ of, key: entry.key, ...describe(entry) });
  return [
    {
      name: `${of} dead`,
      states: ['failed', 'unsure'],
      page: async (page) =>
        (await deadLetters.list(page)).map(({ entry, failure, isUnsure, deadLetteredAt, number }) => {
          const state = isUnsure ? 'unsure' : 'failed';
          return { number, item: { ...about(entry), state, reason: failure, since: deadLetteredAt } };
        }),
    },
    {
      name: `${of} rejected`,
      states: ['rejected'],
      page: async (page) =>
        (await rejected.list(page)).map(({ entry, reason, rejectedAt, number }) => {
          return { number, item: { ...about(entry), state: 'rejected', reason, since: rejectedAt } };
        }),
    },
    {
      name: `${of} waiting`,
      states: ['unsure', 'held'],
      page: async (page) =>
        (await waiting.list(page)).map((each) => {
          const { entry, failure, isUnsure, isModerated, nextInMs, addedAt, number } = each;
          const reason =
            failure ??
            (isModerated ? 'moderation has not decided' : undefined) ??
            (isUnsure && 'a write of it may have been carried out');
          // What runs, or only waits for its turn, is nobody's business.
          if (!reason || nextInMs === undefined) return { number };
          const state = isUnsure ? 'unsure' : 'held';
          return { number, item: { ...about(entry), state, reason, since: addedAt, nextInMs } };
        }),
    },
  ];
}
