import { FifoMap } from '../work/fifo-map.js';
import { factKeyOf } from '../work/ledger.js';
import { MemoryLedger } from '../work/memory-ledger.js';
import { memoryStore } from '../work/memory-store.js';
import type { Lease, Verdict } from '../work/store.js';
import type { Run, RunNotes } from '../work/task.js';
import { inboxContext } from './context.js';
import type { InboxContext } from './context.js';
import { Door, accepted } from './door.js';
import type { InboxEntry } from './entry.js';
import { UnrecoverableError } from './handling/errors.js';
import { Handling } from './handling/handling.js';
import { NotificationTask } from './handling/notification-task.js';
import type { OwnTopics } from './handling/own-topic.js';
import type { NotificationClient } from './handling/read-notification.js';
import { Reporter } from './handling/reporter.js';
import { incomingRequest } from './http/fetch.js';
import { respond } from './http/request.js';
import type { OutgoingResponse } from './http/request.js';
import type { InboxOptions } from './options.js';
import { resolveInboxOptions } from './resolve-options.js';

/** What `handleNow` takes: see the options of `createInbox`. */
export type HandleNowOptions<
  Client extends NotificationClient = NotificationClient,
  Topics extends OwnTopics = OwnTopics,
> = Pick<InboxOptions<Client, Topics>, 'clientFor' | 'on' | 'topics' | 'fallback' | 'path' | 'accept' | 'logger'>;

/** What this process knows of a notification. */
interface HandledHere {
  /** What comes of the run that is under way. */
  running?: Promise<boolean> | undefined;
  isHandled: boolean;
  failures: number;
  notes: RunNotes;
}

/** For this many notifications it is remembered what came of them. */
const maxKnown = 10_000;

const notHandled = respond(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

/** By key. Nothing survives the end of the process, so it is the same for all calls. */
const delivered = new FifoMap<HandledHere>(maxKnown);

/** What this process knows of the resources that it reads with one client: two services may have equal ids. */
class Resources {
  readonly ledger = new MemoryLedger();
  /** The messages of conversations, by key. */
  readonly found = new FifoMap<HandledHere>(maxKnown);
}
const resources = new WeakMap<object, Resources>();
const withoutClient = {};

/** By logger: what was said is not said again. */
const reporters = new WeakMap<object, Reporter>();
const noLogger = {};

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
  Topics extends OwnTopics = OwnTopics,
>(request: Request, options: HandleNowOptions<Client, Topics>): Promise<Response> {
  const resolved = resolveInboxOptions(options);
  const reporter = reporters.get(options.logger ?? noLogger) ?? new Reporter(resolved);
  reporters.set(options.logger ?? noLogger, reporter);
  const context = { ...inboxContext(resolved, memoryStore()), reporter };
  const door = new Door(context, (entry) => respondTo(entry, context));
  const { status, headers, body } = await door.receive(incomingRequest(request));
  return new Response(body, { status, headers });
}

async function respondTo(entry: InboxEntry, context: InboxContext): Promise<OutgoingResponse> {
  const client = (await context.options.clientFor?.(entry.notification.user_id)) ?? withoutClient;
  const known = resources.get(client) ?? new Resources();
  resources.set(client, known);
  return (await handleOnce(entry, known, context)) ? accepted : notHandled;
}

/** Handles an entry, unless that was done. Resolves to whether nothing is left to do. */
async function handleOnce(entry: InboxEntry, known: Resources, context: InboxContext): Promise<boolean> {
  const entries = entry.caughtUp ? known.found : delivered;
  const here = entries.get(entry.key) ?? { isHandled: false, failures: 0, notes: {} };
  entries.set(entry.key, here);
  if (here.isHandled) return true;
  here.running ??= run(entry, here, known, context).finally(() => (here.running = undefined));
  return here.running;
}

async function run(entry: InboxEntry, here: HandledHere, known: Resources, context: InboxContext): Promise<boolean> {
  const { ledger } = known;
  const ofRun = { ...context, store: Object.assign(memoryStore(), { ledger }) };
  const handling = new Handling(ofRun, async (each) => {
    if (!(await handleOnce(each, known, context))) throw new Error('A message of the conversation was not handled');
  });
  const { failures, notes } = here;
  const name = factKeyOf(entry.groupId);
  const lease: Lease = {
    key: entry.key,
    token: '',
    data: entry,
    failures,
    stalls: 0,
    notes,
    fact: ledger.valueOf(name),
  };
  const task = new NotificationTask(lease, runOf(here), handling);
  let verdict: Verdict;
  let error: unknown;
  try {
    verdict = await task.run();
  } catch (thrown) {
    error = thrown;
    verdict = task.failed(thrown);
  }
  await task.tell(verdict, error);
  const { fact } = verdict;
  if (fact) ledger.set(name, fact.value, fact.ms);
  here.notes = verdict.notes ?? here.notes;
  if (verdict.failed) here.failures += 1;
  // Moderation of what was sent is not followed. What the handler gives up itself need not come again.
  here.isHandled = error === undefined || verdict.state === 'done' || error instanceof UnrecoverableError;
  return here.isHandled;
}

/** A run whose notes this process keeps. */
function runOf(here: HandledHere): Run {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    get notes() {
      return here.notes;
    },
    set notes(notes) {
      here.notes = notes;
    },
    abort: (reason) => controller.abort(reason),
    note: async (notes) => {
      here.notes = notes;
      return Promise.resolve(true);
    },
  };
}
