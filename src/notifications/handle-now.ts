import { ofProcess } from '../core/recover/memory-book.js';
import { insideOf } from '../core/recover/write-hook.js';
import type { Log } from '../work/log.js';
import { memoryStore } from '../work/memory.js';
import type { Lease, InnerStore, Verdict, Run, RunNotes, Task, Works } from '../work/store.js';
import { worksOn } from '../work/worker.js';
import { inboxContext, Reporter, type InboxContext } from './context.js';
import { Door, accepted } from './door.js';
import { inboxKinds, workOf, type InboxEntry } from './notification.js';
import { UnrecoverableError, isOf } from './errors.js';
import { handledMs, Handling, KnownOfResources, NotificationTask } from './handling/notification-task.js';
import type { OwnTopic, NotificationClient } from './handling/read-notification.js';
import { incomingRequest } from './http/handlers.js';
import { respond, type OutgoingResponse } from './http/request.js';
import { resolveInboxOptions, type InboxOptions } from './options.js';

const notHandled = respond(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

/**
 * Handles a delivery before it responds, for platforms without a place to store: 200 once the handler has succeeded, 503 when it has
 * failed, and the service delivers again. A notification is handled by one run at a time in a process, and one that was handled is
 * 200 at once. A write whose response was lost is read back before it is sent again.
 *
 * A handler has to take less than 500 ms, or the service takes the delivery for failed and may switch the topic off. If the process is
 * lost between two deliveries, a message may be sent twice: bots that write messages belong on a store, see `createInbox`.
 *
 * @example
 * export const POST = (request: Request) => // of Next
 *   handleNow(request, {
 *     clientFor: (user_id) => (user_id === 7 ? seller : undefined),
 *     on: { questions: async (_, { read }) => console.log((await read()).text) },
 *   });
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export async function handleNow<
  Client extends NotificationClient = NotificationClient,
  Topics extends Readonly<Record<string, OwnTopic>> = Readonly<Record<string, OwnTopic>>,
>(
  request: Request,
  options: Pick<
    InboxOptions<Client, Topics>,
    'clientFor' | 'on' | 'topics' | 'fallback' | 'path' | 'accept' | 'logger'
  >,
): Promise<Response> {
  const resolved = resolveInboxOptions(options);
  const here = memory();
  const context = inboxContext(resolved, here.serviceOf(undefined).store, here.reporterOf(resolved));
  const door = new Door(context, async (entry): Promise<OutgoingResponse> => {
    const client = await resolved.clientFor?.(entry.notification.user_id);
    return (await here.serviceOf(client).handle(entry, context)) ? accepted : notHandled;
  });
  const { status, headers, body } = await door.receive(incomingRequest(request));
  return new Response(body, { status, headers });
}

/** What a process remembers of its deliveries. */
class HandledHere {
  /** By service, whatever client a delivery has: two services may have equal ids. */
  readonly #services = new WeakMap<object, Service>();
  /** By logger: what was said is not said again. */
  readonly #reporters = new WeakMap<object, Reporter>();

  /** @param client One that is none of this package, such as a mock, is of no known service; so is none. */
  serviceOf(client: object | undefined): Service {
    const name = insideOf(client)?.service ?? this;
    const service = this.#services.get(name) ?? new Service();
    this.#services.set(name, service);
    return service;
  }

  reporterOf(options: InboxContext['options']): Reporter {
    const reporter = this.#reporters.get(options.logger ?? this) ?? new Reporter(options);
    this.#reporters.set(options.logger ?? this, reporter);
    return reporter;
  }
}

const memory = ofProcess(() => new HandledHere());

/** How many notifications of a seller and topic are kept that wait for their next delivery. */
const mostWaiting = 1_000;

/** A delivery that waits for the end of its run. */
interface Waiting {
  readonly context: InboxContext;
  readonly isHandled: PromiseWithResolvers<boolean>;
  /** How many earlier runs have failed. */
  failures: number;
  /** The handler has given it up itself: it need not come again. */
  isGivenUp: boolean;
}

/** What waits for its next delivery has the number of its failures in its notes. */
type WaitingNotes = RunNotes & { readonly failures?: number | undefined };

/** The deliveries of one service: the worker of the inboxes runs them, one at a time for each resource. */
class Service {
  readonly store: InnerStore = memoryStore();
  readonly #known = new KnownOfResources();
  /** By key. */
  readonly #waiting = new Map<string, Waiting>();
  #works: Works | undefined;

  constructor() {
    const settle = this.store.settle.bind(this.store);
    this.store.settle = async (lease, verdict) => {
      const waiting = this.#waiting.get(lease.key);
      const isHandled = verdict.state === 'dead' ? waiting?.isGivenUp === true : verdict.state !== 'open';
      await settle(lease, isHandled ? ended(verdict) : untilDelivered(verdict, waiting?.failures));
      this.#end(lease.key, isHandled);
      return true;
    };
  }

  #end(key: string, isHandled: boolean): void {
    this.#waiting.get(key)?.isHandled.resolve(isHandled);
    this.#waiting.delete(key);
  }

  /** Runs an entry, unless that was done or is under way. Resolves to whether nothing is left to do. */
  async handle(entry: InboxEntry, context: InboxContext): Promise<boolean> {
    const { key } = entry;
    const before = this.#waiting.get(key);
    if (before) return before.isHandled.promise;
    const isHandled = Promise.withResolvers<boolean>();
    const ofService = { ...context, store: this.store };
    this.#waiting.set(key, { context: ofService, isHandled, failures: 0, isGivenUp: false });
    const isKnown = (await this.store.add(workOf(entry))) === 'known';
    // Of what was handled, there is nothing to run.
    if (isKnown && !(await this.store.again(key, 'dead'))) this.#end(key, true);
    this.#works ??= this.#start(context.reporter.log);
    this.#works.wake();
    return isHandled.promise;
  }

  #start(log: Log): Works {
    const taskOf = (lease: Lease, run: Run): Task => this.#taskOf(lease, run);
    // The time limit of a handler, and a little more: a platform may end the timers that renew a lease.
    const leaseMs = 330_000;
    return worksOn(this.store, { name: 'handleNow', kinds: inboxKinds, taskOf, concurrency: Infinity, leaseMs, log });
  }

  #taskOf(lease: Lease, run: Run): Task {
    const waiting = this.#waiting.get(lease.key);
    if (!waiting) throw new Error('No delivery waits for it');
    const { failures = 0, ...notes }: WaitingNotes = lease.notes;
    waiting.failures = failures;
    run.notes = notes;
    const handling = new Handling(waiting.context, {
      known: this.#known,
      followsModeration: false,
      add: async (found) => {
        if (!(await this.handle(found, waiting.context)))
          throw new Error('A message of the conversation was not handled');
      },
    });
    const task = new NotificationTask({ ...lease, failures }, run, handling);
    return {
      run: () => task.run(),
      failed: (error) => {
        waiting.isGivenUp = isOf(error, UnrecoverableError);
        return task.failed(error);
      },
      isObserved: (verdict) => task.isObserved(verdict),
      tell: (verdict, error) => task.tell(verdict, error),
    };
  }
}

/** Nobody looks at what was given up: its key stays known. */
function ended(verdict: Verdict): Verdict {
  return verdict.state === 'dead' ? { ...verdict, state: 'done', inMs: handledMs, keepsData: false } : verdict;
}

/** What was not handled waits for its next delivery, as a dead letter waits for a person. */
function untilDelivered({ notes, ...verdict }: Verdict, failures = 0): Verdict {
  const kept: WaitingNotes = { ...notes, failures: failures + Number(verdict.failed) };
  return { ...verdict, state: 'dead', inMs: Infinity, notes: kept, mostDead: mostWaiting };
}
