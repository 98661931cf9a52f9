import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration, listOf } from '../core/options/rules.js';
import { forEachOf } from '../core/paging/paged.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';
import { leads } from '../work/store.js';
import { addFound, type InboxContext } from './context.js';
import { assertOwner } from './handling/dispatcher.js';
import type { NotificationClient } from './handling/read-notification.js';
import { unansweredQuestions, unreadMessages, type ReadConversations } from './handling/unread.js';
import type { MissedNotifications } from './missed.js';
import { caughtUpEntry, type FoundResource, type InboxEntry } from './notification.js';
import { sellerIdsOf } from './options.js';

/** Whose questions and messages to look for. */
export interface CatchUpOptions {
  /**
   * The ids of sellers.
   *
   * @default the option `sellers` of the inbox
   */
  readonly user_ids?: readonly number[] | undefined;
}

/** What `catchUp` has done. */
export interface CatchUpResult {
  /**
   * How many unanswered questions and unread messages there are, and notifications that are listed as missed for the first time. A
   * conversation in which nothing is new counts as when it was last read.
   */
  readonly found: number;
  /** How many of them were added; the others wait already, or were handled. */
  readonly added: number;
  /** The sellers for whom something failed. The others are complete. */
  readonly failed: readonly {
    readonly user_id: number;
    readonly error: unknown;
  }[];
}

/** A seller whose questions and messages were not all added. */
export type CatchUpFailure = CatchUpResult['failed'][number];

/** How many sellers are looked after at a time. */
const sellersAtATime = 8;

/** Adds the unanswered questions and unread messages of sellers, and the notifications that they missed. */
export async function catchUp(
  context: InboxContext,
  options: CatchUpOptions,
  conversations: ReadConversations,
  missed: MissedNotifications,
): Promise<CatchUpResult> {
  checkConfiguration('catchUp', options, { user_ids: listOf('number') });
  const { clientFor, sellers = [] } = context.options;
  if (!clientFor) throw new ConfigurationError('catchUp() needs `clientFor`');
  const user_ids = options.user_ids ?? (await sellerIdsOf(sellers));
  const total = { found: 0, added: 0 };
  const failed: CatchUpFailure[] = [];
  const catchUpWith = async (user_id: number): Promise<void> => {
    try {
      const client = await clientFor(user_id);
      if (!client) return;
      assertOwner(client, user_id);
      await context.service?.see(client, user_id);
      for await (const { found, entries } of missedBy(context, client, user_id, conversations)) {
        // The token of a function is known once it was used.
        assertOwner(client, user_id);
        total.found += found;
        for (const entry of entries) if (await addFound(context, entry)) total.added += 1;
      }
    } catch (error) {
      failed.push({ user_id, error });
    }
  };
  await forEachOf(new Set(user_ids), catchUpWith, { concurrency: sellersAtATime });
  const listed = await missed.add(new Set(user_ids), async (user_id) => {
    const client = await clientFor(user_id);
    if (client) assertOwner(client, user_id);
    return client;
  });
  const [found, added] = [total.found + listed.found, total.added + listed.added];
  return { found, added, failed: [...failed, ...listed.failed] };
}

interface Missed {
  readonly found: number;
  readonly entries: readonly InboxEntry[];
}

/** What a seller may have missed, of the topics that this process has handlers for. */
async function* missedBy(
  { options, kinds }: InboxContext,
  client: NotificationClient,
  user_id: number,
  conversations: ReadConversations,
): AsyncGenerator<Missed> {
  const isWanted = (topic: 'questions' | 'messages'): boolean => !options.handle || kinds.includes(topic);
  if (isWanted('questions'))
    for await (const ids of unansweredQuestions(client, user_id))
      yield {
        found: ids.length,
        entries: await entriesOf(
          user_id,
          ids.map((id) => ({ topic: 'questions', id })),
        ),
      };
  if (isWanted('messages'))
    for await (const { pack_id, found, ids } of unreadMessages(client, user_id, conversations)) {
      const messages = ids.map((id): FoundResource => ({ topic: 'messages', id, shownIn: pack_id }));
      yield { found, entries: await entriesOf(user_id, messages) };
    }
}

function entriesOf(user_id: number, found: readonly FoundResource[]): Promise<readonly InboxEntry[]> {
  return Promise.all(found.map((each) => caughtUpEntry(user_id, each, Date.now())));
}

const leader = 'catch up';

/** Looks for what the sellers missed, again and again: in one of the processes that share a store. */
export class CatchUpRounds {
  readonly #context: InboxContext;
  readonly #catchUp: () => Promise<CatchUpResult>;
  #holder = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next round begins, on the monotonic clock. */
  #nextAt = 0;
  #isRunning = false;

  constructor(context: InboxContext, catchUp: () => Promise<CatchUpResult>) {
    this.#context = context;
    this.#catchUp = catchUp;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#holder = crypto.randomUUID();
    this.#timer = setInterval(() => void this.#tick(), this.#tickMs);
    (this.#timer as { unref?: () => void }).unref?.();
    void this.#tick();
  }

  /** A process that is killed is followed by another one once its lead has ended, where there are others. */
  get #tickMs(): number {
    const { options, store } = this.#context;
    const { leaseMs, catchUpEveryMs } = options;
    return store.shared ? leaseMs / 3 : Math.min(catchUpEveryMs, longestTimerMs);
  }

  async #leads(): Promise<boolean> {
    const { store, options } = this.#context;
    return !store.shared || leads(store.ledger, leader, this.#holder, options.leaseMs);
  }

  async #tick(): Promise<void> {
    const { reporter, options } = this.#context;
    try {
      if (!(await this.#leads())) return void (this.#nextAt = 0);
      // The tick that is nearest: timers and clock differ by a millisecond.
      if (this.#isRunning || performance.now() < this.#nextAt - this.#tickMs / 2) return;
      this.#nextAt = performance.now() + options.catchUpEveryMs;
      this.#isRunning = true;
      this.#report(await this.#catchUp().finally(() => (this.#isRunning = false)));
    } catch (error) {
      if (this.#timer !== undefined) reporter.failed('catchUp() failed', error);
    }
  }

  #report({ failed }: CatchUpResult): void {
    const [first] = failed;
    const more = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    if (first) this.#context.reporter.failed(`catchUp() failed for user ${first.user_id}${more}`, first.error);
  }

  /** Leaves the lead to another process at once. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { shared, ledger } = this.#context.store;
    if (shared) await ledger.replace(leader, this.#holder, '', 0).catch(() => false);
  }
}
