import { EarlierWriteOpenError } from '../../core/errors/errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import { endpointOf, type WriteRecord } from '../../core/recover/write-hook.js';
import type { SentMessage } from '../../resources/post-sale/message.js';
import { moderationOf, moderationReasonOf } from '../../resources/post-sale/moderation.js';
import { FifoMap } from '../../work/fifo-map.js';
import { describeFailure } from '../../work/log.js';
import { givenUp, isLastingError, isOfToken, verdictOf, whilePending } from '../../work/policy.js';
import type { Lease, Run, Task, Verdict } from '../../work/store.js';
import { RunWrites, type WriteRecords } from '../../work/writes.js';
import { addFound, unhandledMs, type InboxContext } from '../context.js';
import {
  DropNotificationError,
  ForeignClientError,
  isOf,
  NotHandledHereError,
  UnknownSellerError,
  UnrecoverableError,
} from '../errors.js';
import { caughtUpEntry, entryOf, type ConversationNotification, type InboxEntry } from '../notification.js';
import { Clients, Dispatcher, type HandlerResult } from './dispatcher.js';
import { isNotFound, type NotificationClient } from './read-notification.js';
import { messageRememberedMs, ShownMessages, unansweredIn } from './unread.js';

/** The most dead letters of a seller and topic; beyond it, the oldest is deleted. */
const mostDead = 1_000;
/** When an unread list that could not be read is asked again, in milliseconds. */
const unreadAgainMs = 60_000;
/** How long it can be seen that moderation rejected a message of a handler, in milliseconds. */
const rejectedMs = 14 * 86_400_000;
/**
 * When an entry is offered again that this process cannot handle: after as long as it has waited, and within these limits, in
 * milliseconds. Many of a topic that nobody handles must not take the turns of others.
 */
const [soonestMs, latestMs] = [10_000, 300_000];

/** What a worker does with a notification: calls its handler, and decides and tells what follows. */
export class NotificationTask implements Task {
  readonly #entry: InboxEntry;
  readonly #lease: Lease;
  readonly #run: Run;
  readonly #handling: Handling;
  readonly #attempt: number;
  readonly #startedAt = performance.now();
  #records: WriteRecords | undefined;
  /** What came of the last run of the handler. */
  #result: HandlerResult | undefined;
  #readAgain: { readonly inMs: number | undefined } | undefined;
  /** Nobody is told what has become of it: there was nothing to do. */
  #isSilent = false;

  constructor(lease: Lease, run: Run, handling: Handling) {
    this.#entry = entryOf(lease);
    this.#lease = lease;
    this.#run = run;
    this.#handling = handling;
    this.#attempt = lease.failures + lease.stalls + 1;
  }

  async run(): Promise<Verdict> {
    const { notes, signal } = this.#run;
    const { clients } = this.#handling;
    const { notification } = this.#entry;
    // The handler has ended, and moderation had not decided about its messages.
    if (notes.followedSince !== undefined)
      return this.#afterHandler(await readDecision(notes.writes, (await clients.of(notification)) ?? {}, signal));
    if (isSettled(this.#entry, this.#lease.fact)) return this.#drop(handledMs);
    if (notification.pack_id !== undefined) {
      await this.#handling.addMessagesOf(notification);
      return this.#drop(handledMs);
    }
    return notes.missingAt === undefined ? this.#handle() : this.#lookForMessage(notes.missingAt);
  }

  async #handle(): Promise<Verdict> {
    try {
      await this.#callHandler();
    } catch (error) {
      if (!this.#isMissing(error) || this.#readAgainInMs() !== undefined) throw error;
      const isLookedFor = this.#run.notes.shownIn !== undefined;
      if (isLookedFor || this.#entry.notification.message_id === undefined) throw error;
      return this.#lookForMessage(Date.now());
    }
    return this.#afterHandler(decisionOf(messagesOf(this.#run.notes.writes)));
  }

  /** Before a message is dropped: the conversations of the unread list may show it although its own path does not. */
  async #lookForMessage(missingAt: number): Promise<Verdict> {
    const { clients, known } = this.#handling;
    const { user_id, message_id = '' } = this.#entry.notification;
    this.#run.notes = { ...this.#run.notes, missingAt };
    const client = await clients.of(this.#entry.notification);
    if (!client?.messages) return this.#dropNotShown();
    try {
      const shown = await known.shown.find(client, user_id, message_id, missingAt);
      if ('againInMs' in shown) return { state: 'open', inMs: shown.againInMs, failed: false };
      if (shown.shownIn === undefined) return this.#dropNotShown();
      this.#run.notes = { ...this.#run.notes, missingAt: undefined, shownIn: shown.shownIn };
    } catch (error) {
      const isOver = this.#lease.failures >= this.#handling.context.options.retry.maxRetries;
      if (isOver || isLastingError(error) || isNotFound(error)) return this.#dropNotShown();
      return { state: 'open', inMs: unreadAgainMs, failed: true, failure: describeFailure(error) };
    }
    return this.#handle();
  }

  async #callHandler(): Promise<void> {
    const { dispatcher, context, known } = this.#handling;
    const { reporter, store } = context;
    const run = this.#run;
    const kept = new RunWrites({
      writes: run.notes.writes ?? [],
      note: (writes) => run.note({ ...run.notes, writes }),
      ledger: store.ledger,
      failed: (message, error) => reporter.failed(message, error),
      signal: run.signal,
      rejections: known.rejections,
    });
    const { records } = kept;
    this.#records = records;
    const result = await dispatcher.handle(this.#entry, {
      attempt: this.#attempt,
      signal: run.signal,
      abort: (reason) => run.abort(reason),
      records,
      shownIn: this.#shownIn,
      isMissing: run.notes.shownIn !== undefined,
    });
    this.#result = result;
    if (result.found) known.missing.wasFound(this.#entry.notification.user_id);
    const writes = await kept.end();
    if (writes.length > 0) run.notes = { ...run.notes, writes };
    if (result.outcome !== 'handled') throw result.error;
    // A handler may have caught the error of a write that an earlier run has sent.
    if (records.stoppedBy) throw records.stoppedBy;
    records.forgetRejections();
  }

  /** The pack whose conversation has shown the message. */
  get #shownIn(): string | undefined {
    return this.#run.notes.shownIn ?? this.#entry.shownIn;
  }

  /** What follows from what moderation has decided about the messages of the handler. */
  #afterHandler(decision: RepliesDecision): Verdict {
    if (decision.state === 'pending' && this.#handling.followsModeration)
      return { ...whilePending(this.#run), mostDead };
    const fact = this.#doneFact();
    if (decision.state === 'rejected')
      return { state: 'rejected', inMs: rejectedMs, failed: false, failure: decision.reason, keepsData: true, fact };
    // What it came to is known by its resource.
    return { state: 'done', inMs: this.#entry.caughtUp ? 0 : handledMs, failed: false, fact };
  }

  #doneFact(): Verdict['fact'] {
    if (!this.#hasFacts) return undefined;
    // A handler may have caught the error of a write, and read it back by itself.
    const hasWritten = this.#run.notes.writes?.some(({ state }) => state !== 'rejected') === true;
    return doneFact(this.#entry, { hasWritten, readAt: this.#result?.readAt ?? 0 });
  }

  get #hasFacts(): boolean {
    return this.#handling.context.options.clientFor !== undefined && this.#entry.notification.known;
  }

  failed(error: unknown): Verdict {
    const verdict = this.#special(error) ?? this.#general(error);
    if (verdict.state !== 'dead') return verdict;
    this.#records?.forgetRejections();
    // The next token may be right, and the next client too: then `catchUp` finds it.
    const isGivenUp = this.#hasFacts && !isOfToken(error) && !isOf(error, ForeignClientError);
    return { ...verdict, mostDead, ...(isGivenUp && { fact: givenUpFact(this.#entry) }) };
  }

  /** What follows from an error of the inbox itself. */
  #special(error: unknown): Verdict | undefined {
    // The user may become a seller of ours: nothing is remembered.
    if (isOf(error, UnknownSellerError)) return this.#drop(0, 'clientFor returned no client, so its user is not ours');
    // Whatever the handler throws about a message of the seller, nothing has to be done.
    if (isOf(error, DropNotificationError) || this.#result?.outcome === 'own') return this.#drop(handledMs);
    if (isOf(error, NotHandledHereError)) return this.#later();
    if (isOf(error, UnrecoverableError)) return givenUp(error, this.#run.notes);
    return this.#isMissing(error) ? this.#missing(error) : undefined;
  }

  #isMissing(error: unknown): boolean {
    const { notification } = this.#entry;
    // A conversation that the service does not show is one of others: it is forbidden.
    if (notification.pack_id !== undefined) return isLastingError(error) && !isOfToken(error);
    // What may have been carried out is read back.
    if (this.#run.notes.writes?.some(({ state }) => state === 'sent')) return false;
    if (this.#result?.outcome !== 'missing' || this.#result.error !== error) return false;
    // What a conversation has shown exists.
    return !this.#result.found || this.#shownIn === undefined;
  }

  /** When what is missing is read again, in milliseconds; `undefined` when it is not. */
  #readAgainInMs(): number | undefined {
    if (this.#readAgain) return this.#readAgain.inMs;
    const { known, context } = this.#handling;
    const { notification, arrivedAt } = this.#entry;
    const { failures } = this.#lease;
    if (failures === 0) known.missing.wasMissing(notification.user_id);
    const inMs = known.missing.againInMs(notification.user_id, arrivedAt);
    this.#readAgain = { inMs: failures < context.options.retry.maxRetries ? inMs : undefined };
    return this.#readAgain.inMs;
  }

  #general(error: unknown): Verdict {
    const { retry, leaseMs } = this.#handling.context.options;
    const isLasting = (each: unknown): boolean => isLastingError(each) || this.#records?.wasRejected(each) === true;
    return verdictOf(error, { failures: this.#lease.failures, notes: this.#run.notes, retry, leaseMs, isLasting });
  }

  /** @param reason What to say of it; none: there was nothing to do. */
  #drop(inMs: number, reason?: string): Verdict {
    this.#isSilent = true;
    if (reason !== undefined) this.#handling.context.reporter.dropped(reason);
    return { state: 'done', inMs, failed: false };
  }

  /** Another process may have a handler. */
  #later(): Verdict {
    const ageMs = Date.now() - this.#entry.arrivedAt;
    if (ageMs > unhandledMs) return this.#drop(0, 'no process has a handler for its topic');
    return { state: 'open', inMs: Math.min(Math.max(ageMs, soonestMs), latestMs), failed: false };
  }

  #dropNotShown(): Verdict {
    const { context } = this.#handling;
    context.reporter.notShown(this.#entry.notification.user_id);
    return this.#drop(0);
  }

  /** The service did not show the resource: `catchUp` finds the true ones. */
  #missing(error: unknown): Verdict {
    const inMs = this.#readAgainInMs();
    const { notes } = this.#run;
    if (inMs !== undefined) return { state: 'open', inMs, failed: true, failure: describeFailure(error), notes };
    return this.#entry.notification.known ? this.#dropNotShown() : givenUp(error, notes);
  }

  isObserved(verdict: Verdict): boolean {
    return !this.#isSilent && this.#handling.context.reporter.observer.listensTo(verdict);
  }

  async tell(verdict: Verdict, error: unknown): Promise<void> {
    const { reporter } = this.#handling.context;
    if (this.#isSilent) return;
    if (verdict.state !== 'open' || verdict.failed) {
      const [entry, attempt, durationMs] = [this.#entry, this.#attempt, performance.now() - this.#startedAt];
      const what = `Notification ${entry.key} (${entry.notification.topic})`;
      await reporter.observer.tell(what, { entry, attempt, durationMs }, verdict, error);
    } else if (isOf(error, EarlierWriteOpenError)) {
      // That is how it should be: the next run reads back what came of it.
      reporter.informedOnce((error as Error).message);
    } else if (error instanceof Error) {
      reporter.warnedOnce(error.message);
    }
  }
}

/** For this many writes it is remembered with which error the service has rejected them. */
const maxRejections = 1_000;

/** What earlier runs of this process have seen. */
export class KnownOfResources {
  readonly missing = new MissingResources();
  readonly shown = new ShownMessages();
  /** The errors of rejected writes, by write: those of entries that are tried again. */
  readonly rejections = new FifoMap<unknown>(maxRejections);
}

interface HandlingInit {
  readonly known?: KnownOfResources | undefined;
  readonly followsModeration?: boolean | undefined;
  /** Has a message handled that was found in a conversation. @default it is added to the store */
  readonly add?: ((found: InboxEntry) => Promise<unknown>) | undefined;
}

/** What the tasks of an inbox have in common. */
export class Handling {
  readonly context: InboxContext;
  readonly clients: Clients;
  readonly dispatcher: Dispatcher;
  readonly known: KnownOfResources;
  /** Whether a message is followed until moderation has decided about it. */
  readonly followsModeration: boolean;
  readonly #add: (found: InboxEntry) => Promise<unknown>;

  constructor(context: InboxContext, init: HandlingInit = {}) {
    this.context = context;
    this.known = init.known ?? new KnownOfResources();
    this.followsModeration = init.followsModeration ?? true;
    this.#add = init.add ?? ((found) => addFound(context, found));
    this.clients = new Clients(context);
    this.dispatcher = new Dispatcher(context, this.clients);
  }

  /** Adds the messages of a conversation that the seller has neither read nor answered. Marks nothing as read. */
  async addMessagesOf(notification: ConversationNotification): Promise<void> {
    const { user_id, pack_id } = notification;
    const client = await this.clients.of(notification);
    const ids = client?.messages ? await unansweredIn(client.messages, pack_id, user_id) : [];
    for (const id of ids)
      await this.#add(await caughtUpEntry(user_id, { topic: 'messages', id, shownIn: pack_id }, Date.now()));
  }
}

/**
 * When a resource is read again that the service did not show, in milliseconds after the arrival of its notification: the service
 * may announce a resource before it can return it. With the first attempt that is four reads at most.
 */
const readAgainAtMs = [5_000, 20_000, 60_000];
/** Timers may be early, and the first attempt late: attempts are at least this far apart, in milliseconds. */
const leastBetweenMs = 1_000;

/** From this number on, somebody forges notifications, and many 404s get an application blocked. */
const mostInRow = 20;
/** How many sellers are remembered. One that is forgotten begins anew. */
const maxSellers = 10_000;

/** How many resources of each seller the service did not show since it has shown one. */
export class MissingResources {
  readonly #inRow = new FifoMap<number>(maxSellers);

  wasFound(user_id: number): void {
    this.#inRow.delete(String(user_id));
  }

  /** A resource was read for the first time, and is not there. */
  wasMissing(user_id: number): void {
    const name = String(user_id);
    this.#inRow.set(name, (this.#inRow.get(name) ?? 0) + 1);
  }

  /** When a resource is read again, in milliseconds; `undefined` when it has had time enough, or is probably forged. */
  againInMs(user_id: number, arrivedAt: number): number | undefined {
    if ((this.#inRow.get(String(user_id)) ?? 0) >= mostInRow) return undefined;
    const ageMs = Math.max(0, Date.now() - arrivedAt);
    const next = readAgainAtMs.find((ms) => ms > ageMs + leastBetweenMs);
    return next === undefined ? undefined : next - ageMs;
  }
}

type ResourceFact = NonNullable<Verdict['fact']>;

/** How long it is kept that a notification or a question was handled, in milliseconds. */
export const handledMs = 86_400_000;
/** How long `catchUp` leaves a question or message to the person who has its dead letter, in milliseconds. */
const givenUpMs = 14 * 86_400_000;

const handled = 'handled';
/** A handler has written something about a message, or may have. */
const answered = 'answered';
/** `catchUp` found it, and its handler began to read it at this time: what arrived before is handled with it. */
const caughtUp = 'caught up ';
/** A person has it, as the entry with this key. */
const givenUpAs = 'given up ';

/** What it came to that an entry was handled. */
function doneFact(entry: InboxEntry, { hasWritten, readAt }: { hasWritten: boolean; readAt: number }): ResourceFact {
  const isMessage = entry.notification.topic === 'messages';
  const value = isMessage && hasWritten ? answered : entry.caughtUp ? `${caughtUp}${readAt}` : handled;
  return { value, ms: isMessage ? messageRememberedMs : handledMs };
}

/** What it came to that an entry was given up. */
function givenUpFact({ key }: InboxEntry): ResourceFact {
  return { value: `${givenUpAs}${key}`, ms: givenUpMs };
}

/**
 * Whether nothing is left to do about an entry. A message that a handler has answered is not answered again, whatever else the
 * service has to say about it; nor is one that a person has as another entry.
 */
function isSettled({ key, notification, arrivedAt, caughtUp: wasFound }: InboxEntry, fact?: string): boolean {
  if (fact === undefined || fact === `${givenUpAs}${key}`) return false;
  if (wasFound || fact === answered) return true;
  if (fact.startsWith(caughtUp)) return arrivedAt < Number(fact.slice(caughtUp.length));
  return notification.topic === 'messages' && fact.startsWith(givenUpAs);
}

/** The endpoints that send messages, which moderation decides about. */
const sending = ['messages.send', 'actionGuide.send'];

/** What moderation has decided about the messages of a handler. */
type RepliesDecision =
  | { readonly state: 'accepted' | 'pending' }
  /** `reason` is that of moderation. */
  | { readonly state: 'rejected'; readonly reason: string };

/** Reads the messages that moderation has not decided about. What cannot be read now is read later. */
async function readDecision(
  writes: readonly WriteRecord[] | undefined,
  { messages }: Partial<NotificationClient>,
  signal: AbortSignal,
): Promise<RepliesDecision> {
  const read = async (sent: SentMessage): Promise<SentMessage> => {
    if (moderationOf(sent) !== 'pending' || !sent.id || !messages) return sent;
    try {
      return await messages.get({ message_id: sent.id }, { signal });
    } catch (error) {
      if (error instanceof SellerError) return sent;
      throw error;
    }
  };
  return decisionOf(await Promise.all(messagesOf(writes).map(read)));
}

/** One that has no id cannot be read, so it is not followed. */
function messagesOf(writes: readonly WriteRecord[] = []): readonly SentMessage[] {
  const sent = writes.filter((write) => write.state === 'done' && sending.includes(endpointOf(write)));
  return sent.flatMap(({ output }) => {
    const message = output as SentMessage | null | undefined;
    return message && (message.id || moderationOf(message) === 'rejected') ? [message] : [];
  });
}

/** What moderation has decided about some messages, as they say. */
function decisionOf(messages: readonly SentMessage[]): RepliesDecision {
  const rejected = messages.find((message) => moderationOf(message) === 'rejected');
  if (rejected) return { state: 'rejected', reason: moderationReasonOf(rejected) ?? 'moderation gave no reason' };
  return { state: messages.some((message) => moderationOf(message) === 'pending') ? 'pending' : 'accepted' };
}
