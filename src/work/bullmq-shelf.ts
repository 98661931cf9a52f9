import { factKeyOf, keepKeysMsOf, reducedOf, waitsSince } from './store.js';
import type {
  Counts,
  EndedState,
  EntryState,
  Ledger,
  Notes,
  Query,
  Reduced,
  Shelf,
  Status,
  Verdict,
  Work,
} from './store.js';
import { atEndOfTurn } from './timers.js';

/** The states of BullMQ of a job that has not ended, in the order in which an operator sees them. */
const unfinished = ['active', 'waiting', 'prioritized', 'paused', 'delayed'];
const statesOf: Readonly<Record<EntryState, readonly string[]>> = {
  running: ['active'],
  waiting: unfinished.slice(1),
  dead: ['failed'],
  done: ['completed'],
  accepted: ['completed'],
  rejected: ['completed'],
};
/** How many jobs are read at a time. */
const readAtATime = 100;
/** How long a job sleeps that is behind another one of its group, if nobody wakes it, in milliseconds. */
export const behindMs = 30_000;
/** The newest ones that were given up are kept for two weeks. Only `BullMQWorks` ends attempts. */
const kept = { attempts: 1_000_000, backoff: 5_000, removeOnFail: { age: 14 * 86_400, count: 10_000 } };

/** What is known of an entry whose job is gone: JSON, or an empty text for a notification that was handled. */
interface KnownKey {
  readonly text: string;
  /** How long it is known, in milliseconds. */
  readonly ms: number;
}

/** What stays of an ended entry. */
interface Remains extends Reduced, Pick<Work, 'kind' | 'group' | 'owner' | 'sentAt'> {
  readonly addedAt: number;
  readonly endedAt: number;
}

/** What is kept in two queues of BullMQ: one for notifications, one for jobs of an outbox. */
export class BullMQShelf implements Shelf {
  readonly durable = true;
  readonly shared = true;
  readonly ledger: RedisLedger;
  readonly scripts: RedisScripts;
  readonly #queueOf: (name: string) => BullMQQueue;
  readonly #queues = new Map<string, BullMQQueue>();
  readonly #name: string;
  /** The ids of the last lists that began at their beginning: pages do not move while jobs come and go. */
  readonly #listed = new Map<string, readonly (readonly [BullMQQueue, string])[]>();

  constructor(
    Queue: new (name: string, options: { readonly connection: never }) => object,
    connection: object,
    name: string,
  ) {
    this.#name = name;
    this.#queueOf = (each) => {
      const queue = new Queue(each, { connection: connection as never }) as BullMQQueue;
      // A call that fails for it rejects as well.
      queue.on('error', () => undefined);
      return queue;
    };
    this.scripts = new RedisScripts(async () => {
      const queue = this.queue('*');
      return ((queue.getBackend?.() ?? queue) as { readonly client: Promise<RedisCommands> }).client;
    });
    this.ledger = new RedisLedger(this.scripts, (key) => this.queue('*').toKey(`ledger:${key}`));
  }

  /** The name of the queue of a kind of work. */
  nameOf(kind: string): string {
    return `${this.#name}-${kind === 'job' ? 'outbox' : 'inbox'}`;
  }

  queue(kind: string): BullMQQueue {
    const name = this.nameOf(kind);
    const queue = this.#queues.get(name) ?? this.#queueOf(name);
    this.#queues.set(name, queue);
    return queue;
  }

  #keysOf({ kind, group, owner }: Work): [string, string] {
    const queue = this.queue(kind);
    return [queue.toKey(`group:${group}`), queue.toKey(`open:${kind}:${owner}`)];
  }

  async add(work: Work, most = -1): Promise<'added' | 'known' | 'full'> {
    const queue = this.queue(work.kind);
    const jobId = idOf(work.key);
    const values = [jobId, String(Math.max(0, work.sentAt)), String(most)];
    const keys = [...this.#keysOf(work), queue.toKey(jobId), queue.toKey(`known:${jobId}`)];
    const head = await this.scripts.run('sellerEnter', ...keys, ...values);
    if (head === 'known' || head === 'full') return head;
    const inMs = head === jobId ? Math.max(0, (work.notBefore ?? 0) - Date.now()) : behindMs;
    await queue.add(work.kind, { version: dataVersion, work, failures: 0, notes: {} }, { jobId, ...kept, delay: inMs });
    if (head !== jobId) await this.wakeHead(work);
    return 'added';
  }

  /** Returns the head of the group of a job, and what the group came to. The job begins if it is the head. */
  async begin(work: Work): Promise<{ readonly head: string; readonly fact: string | undefined }> {
    const keys = [...this.#keysOf(work), this.ledger.nameOf(factKeyOf(work.group))];
    const found = this.scripts.run('sellerBegin', ...keys, idOf(work.key), String(Math.max(0, work.sentAt)));
    const [head, fact] = (await found) as [string, string | null];
    return { head, fact: fact ?? undefined };
  }

  /** A job has ended: the next one of its group is its head. Its key is known although the job is gone. */
  async leave(
    work: Work,
    { value, ms }: NonNullable<Verdict['fact']> = { value: '', ms: 0 },
    known: KnownKey = { text: '', ms: 0 },
  ): Promise<void> {
    const keys = [...this.#keysOf(work), this.ledger.nameOf(factKeyOf(work.group)), this.#knownKey(work)];
    const values = [idOf(work.key), value, String(Math.ceil(ms)), known.text, String(Math.ceil(known.ms))];
    const head = await this.scripts.run('sellerLeave', ...keys, ...values);
    if (typeof head === 'string') await this.#promote(work.kind, head);
  }

  #knownKey({ kind, key }: Pick<Work, 'kind' | 'key'>): string {
    return this.queue(kind).toKey(`known:${idOf(key)}`);
  }

  /** What stays of an ended job of an outbox. */
  async remainsOf({ data, timestamp, finishedOn }: BullMQJob, was: EndedState, keyMs: number): Promise<KnownKey> {
    const { kind, group, owner, sentAt, data: entry } = data.work;
    const times = { addedAt: timestamp, endedAt: finishedOn ?? Date.now() };
    const remains: Remains = { ...(await reducedOf(entry, was)), kind, group, owner, sentAt, ...times };
    return { text: JSON.stringify(remains), ms: keyMs === Infinity ? keepKeysMsOf({ works: true }) : keyMs };
  }

  /** Wakes the head of the group of a job, if it sleeps: it may have slept while the one before it ended. */
  async wakeHead(work: Work): Promise<void> {
    const [head] = (await this.scripts.run('sellerCall', this.#keysOf(work)[0], 'ZRANGE', '0', '0')) as string[];
    if (head !== undefined) await this.#promote(work.kind, head);
  }

  async #promote(kind: string, id: string): Promise<void> {
    // It is not delayed, or somebody was faster.
    await (await this.queue(kind).getJob(id))?.promote().catch(() => undefined);
  }

  /** Whether something of these kinds is due or runs. */
  async isDue([kind = '']: readonly string[]): Promise<boolean> {
    const queue = this.queue(kind);
    // BullMQ keeps a counter in the last 12 bits of the time.
    const until = String(Date.now() * 4_096);
    // First: what is taken between the two is counted by the second.
    const delayed = await this.scripts.run('sellerCall', queue.toKey('delayed'), 'ZCOUNT', '0', until);
    const { active = 0, waiting = 0, prioritized = 0 } = await queue.getJobCounts();
    return active + waiting + prioritized + Number(delayed) > 0;
  }

  async #find(key: string): Promise<{ readonly job: BullMQJob; readonly state: string } | undefined> {
    for (const kind of ['*', 'job']) {
      const job = await this.queue(kind).getJob(idOf(key));
      if (job) return { job, state: await job.getState() };
    }
    return undefined;
  }

  async get(key: string): Promise<Status | undefined> {
    const found = await this.#find(key);
    if (found) return this.#statusOf(found.job, found.state, 0);
    const text = await this.scripts.run('sellerCall', this.#knownKey({ kind: 'job', key }), 'GET');
    if (typeof text !== 'string' || text === '') return undefined;
    const { hash, was, ...remains } = JSON.parse(text) as Remains;
    return { ...remains, key, data: { hash, was }, state: was, failures: 0, stalls: 0, notes: {}, number: 0 };
  }

  async list({ kinds, states, limit, after }: Query): Promise<readonly Status[]> {
    const name = JSON.stringify([kinds, states]);
    let ids = after > 0 ? this.#listed.get(name) : undefined;
    if (!ids) this.#listed.set(name, (ids = await this.#idsOf(kinds, states)));
    const page: Status[] = [];
    // A page is full although some jobs are gone: a shorter one is the last.
    for (let from = after; from < ids.length && page.length < limit; from += readAtATime) {
      const some = ids.slice(from, from + readAtATime);
      const read = await Promise.all(some.map(async ([queue, id], index) => this.#read(queue, id, from + index + 1)));
      page.push(
        ...(read
          .filter((each) => each !== undefined && isIn(each, { kinds, states }))
          .slice(0, limit - page.length) as Status[]),
      );
    }
    return page;
  }

  async #idsOf(kinds: readonly string[], states: readonly EntryState[]): Promise<(readonly [BullMQQueue, string])[]> {
    const wanted = [...new Set(states.flatMap((state) => statesOf[state]))];
    const queues = [...new Set(kinds.map((kind) => this.queue(kind)))];
    const ids = queues.map(async (queue) =>
      (await queue.getRanges(wanted, 0, -1, true)).map((id) => [queue, id] as const),
    );
    return (await Promise.all(ids)).flat();
  }

  async #read(queue: BullMQQueue, id: string, number: number): Promise<Status | undefined> {
    const job = await queue.getJob(id);
    // Other programs may add other jobs to the queue, and a job may be gone.
    return job?.data.work === undefined ? undefined : this.#statusOf(job, await job.getState(), number);
  }

  async #statusOf(job: BullMQJob, bullmqState: string, number: number): Promise<Status> {
    const { data, timestamp, finishedOn } = job;
    const { work } = data;
    const state = stateOf(job, bullmqState);
    const delayed = this.queue(work.kind).toKey('delayed');
    const args = ['sellerCall', delayed, 'ZSCORE', idOf(work.key)] as const;
    const score = bullmqState === 'delayed' ? await this.scripts.run(...args) : null;
    return {
      ...work,
      ...{ state, failures: data.failures, stalls: data.endings ?? 0, notes: data.notes, addedAt: timestamp, number },
      ...(data.failure !== undefined && { failure: data.failure }),
      ...(typeof finishedOn === 'number' && { endedAt: finishedOn }),
      ...(state === 'waiting' && { nextInMs: Math.max(0, Math.floor(Number(score) / 4_096) - Date.now()) }),
    };
  }

  /** What was accepted or rejected is counted among the first ten thousand that are kept. */
  async counts(kinds: readonly string[]): Promise<Counts> {
    const counts = { waiting: 0, running: 0, dead: 0, accepted: 0, rejected: 0, unreadable: 0 };
    for (const queue of new Set(kinds.map((kind) => this.queue(kind)))) {
      const { active = 0, failed = 0, ...others } = await queue.getJobCounts();
      counts.running += active;
      counts.dead += failed;
      counts.waiting += unfinished.reduce((sum, state) => sum + (others[state] ?? 0), 0);
    }
    const ended = await this.list({ kinds, states: ['accepted', 'rejected'], limit: 10_000, after: 0 });
    for (const { state } of ended) counts[state as 'accepted' | 'rejected'] += 1;
    const open = await this.list({ kinds, states: ['running', 'waiting'], limit: readAtATime, after: 0 });
    const oldest = Math.min(...open.map((each) => waitsSince(each, each.addedAt)));
    return { ...counts, ...(oldest < Infinity && { oldestAgeMs: Math.max(0, Date.now() - oldest) }) };
  }

  async again(key: string, state: 'open' | 'dead', notes?: Notes): Promise<boolean> {
    const found = await this.#find(key);
    if (!found || stateOf(found.job, found.state) !== (state === 'open' ? 'waiting' : 'dead')) return false;
    const { job } = found;
    const { failure, ...data } = { ...job.data, ...(notes && { notes }) };
    if (state === 'open') {
      if (notes) await job.updateData({ ...data, failure });
      await this.wakeHead(data.work);
      return true;
    }
    await this.#forget(key);
    await job.updateData({ ...data, failures: 0 });
    return change(job, 'failed', () => job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }));
  }

  async remove(key: string, states: readonly Exclude<EntryState, 'running'>[]): Promise<boolean> {
    const found = await this.#find(key);
    if (!found) return states.includes('done') && (await this.#forget(key));
    if (!states.some((each) => each === stateOf(found.job, found.state))) return false;
    const isRemoved = await change(found.job, found.state, () => found.job.remove());
    if (!isRemoved) return false;
    await this.#forget(key);
    await this.leave(found.job.data.work);
    return true;
  }

  /** Frees the key of what has ended. */
  async #forget(key: string): Promise<boolean> {
    const names = ['*', 'job'].map((kind) => this.#knownKey({ kind, key }));
    const deleted = await Promise.all(names.map(async (name) => this.scripts.run('sellerCall', name, 'DEL')));
    return deleted.some((count) => Number(count) > 0);
  }

  async reduce(key: string, states: readonly EndedState[], keyMs: number): Promise<boolean> {
    const found = await this.#find(key);
    if (!found) return false;
    const was = states.find((each) => each === stateOf(found.job, found.state));
    return was !== undefined && this.#reduce(found.job, found.state, was, keyMs);
  }

  async #reduce(job: BullMQJob, state: string, was: EndedState, keyMs: number): Promise<boolean> {
    const { work } = job.data;
    const known = work.kind === 'job' ? await this.remainsOf(job, was, keyMs) : { text: '', ms: keyMs };
    await this.leave(work, undefined, known);
    return change(job, state, () => job.remove());
  }

  async reduceOld([kind = '']: readonly string[], olderMs: number, keyMs: number): Promise<number> {
    const queue = this.queue(kind);
    const ids = await queue.getRanges(['completed'], 0, readAtATime - 1, true);
    const jobs = await Promise.all(ids.map(async (id) => queue.getJob(id)));
    const isOld = (job?: BullMQJob): job is BullMQJob =>
      job?.data.work?.kind === kind && (job.finishedOn ?? Infinity) <= Date.now() - olderMs;
    const reduced = jobs.filter(isOld).map(async (job) => {
      const state = stateOf(job, 'completed');
      return state === 'rejected' || state === 'accepted' ? this.#reduce(job, 'completed', state, keyMs) : false;
    });
    return (await Promise.all(reduced)).filter(Boolean).length;
  }

  async close(): Promise<void> {
    const queues = [...this.#queues.values()];
    this.#queues.clear();
    this.scripts.close();
    await Promise.all(queues.map(async (queue) => queue.close()));
  }
}

/** Changes a job. `false` when a worker or another operator was faster. */
async function change(job: BullMQJob, state: string, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if ((await job.getState()) === state) throw error;
    return false;
  }
}

function isIn({ kind, state }: Status, { kinds, states }: Pick<Query, 'kinds' | 'states'>): boolean {
  return kinds.includes(kind) && states.includes(state);
}

/** The version of `JobData`. A process runs the jobs of its own version and of earlier ones. */
export const dataVersion = 1;

/** What a job of BullMQ holds. */
export interface JobData {
  /** @default 1 */
  readonly version?: number | undefined;
  readonly work: Work;
  readonly failures: number;
  readonly failure?: string | undefined;
  readonly notes: Notes;
  /** What a job that BullMQ has completed came to. */
  readonly state?: Verdict['state'] | undefined;
  /** How often it had stalled when it had its last result. */
  readonly stallsBefore?: number | undefined;
  /** How often in a row its process has ended while it ran alone. */
  readonly endings?: number | undefined;
  /** After how many of these it has waited. */
  readonly pausedAfter?: number | undefined;
}

/** The part of BullMQ's `Job` that is used. */
export interface BullMQJob {
  readonly id?: string | undefined;
  readonly data: JobData;
  readonly timestamp: number;
  readonly attemptsStarted: number;
  readonly stalledCounter?: number | undefined;
  readonly finishedOn?: number | null | undefined;
  readonly delay?: number | undefined;
  readonly opts: { removeOnComplete?: unknown };
  getState(): Promise<string>;
  updateData(data: JobData): Promise<void>;
  /** Keeps the job for this worker, if it has it still. */
  extendLock(token: string, duration: number): Promise<number>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  retry(state: 'failed', options: object): Promise<void>;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The part of BullMQ's `Queue` that is used. */
interface BullMQQueue {
  add(name: string, data: JobData, options: object): Promise<unknown>;
  toKey(type: string): string;
  /** Has the Redis client, since BullMQ 6. */
  getBackend?(): unknown;
  getJobCounts(): Promise<Readonly<Record<string, number>>>;
  /** The ids of the jobs in these states. */
  getRanges(states: string[], start: number, end: number, isAscending: boolean): Promise<string[]>;
  getJob(id: string): Promise<BullMQJob | undefined>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  close(): Promise<void>;
}

/** The id of the job of an entry. BullMQ takes neither a number nor a colon. */
export function idOf(key: string): string {
  return `n-${encodeURIComponent(key.toWellFormed())}`;
}

/** How a job is listed that is in a state of BullMQ. */
function stateOf({ data }: BullMQJob, state: string): EntryState {
  if (state === 'completed') return (data.state ?? 'done') as EntryState;
  if (state === 'failed') return 'dead';
  return state === 'active' ? 'running' : 'waiting';
}

/** The part of a Redis client that is used: of ioredis, and of what BullMQ wraps around other clients. */
interface RedisCommands {
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): unknown;
  runCommand?(name: string, args: unknown[]): Promise<unknown>;
  /** The socket of ioredis, if it is not that of a cluster. */
  readonly stream?: Corked | undefined;
}

interface Corked {
  readonly writableCorked?: number;
  cork?(): void;
  uncork?(): void;
}

/** What is sent in one turn of the event loop is written at once: a write costs more than a command. */
function sendTogether({ stream }: RedisCommands): void {
  if (!stream?.cork || stream.writableCorked !== 0) return;
  stream.cork();
  atEndOfTurn(() => stream.uncork?.());
}

/*
 * A group is a sorted set of the ids of its jobs, by when they were sent. The first is its head, which alone may run; once it has begun,
 * nothing that was sent earlier comes before it. Equal times keep their order as long as something of the group is there.
 */
const scripts = {
  // KEYS: the group, the ids of the owner, the job, that its key is known. ARGV: id, when it was sent, the most of the owner or -1.
  sellerEnter: `if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 'known' end
    local most = tonumber(ARGV[3])
    if most >= 0 and redis.call('SCARD', KEYS[2]) >= most then return 'full' end
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2] + math.min(redis.call('ZCARD', KEYS[1]), 4000) / 4096, ARGV[1])
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // KEYS: the group, the ids of the owner, its fact. ARGV: id, when it was sent. Returns the head and the fact: the job begins if it is the head.
  sellerBegin: `redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
    local head = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if head == ARGV[1] then redis.call('ZADD', KEYS[1], -1, head) end
    return { head, redis.call('GET', KEYS[3]) }`,
  // KEYS: the same, and what is known of the key. ARGV: id, the fact and its milliseconds, what is known and for how long. Returns the next head.
  sellerLeave: `redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('SREM', KEYS[2], ARGV[1])
    if tonumber(ARGV[3]) >= 1 then redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3]) end
    if tonumber(ARGV[5]) >= 1 then redis.call('SET', KEYS[4], ARGV[4], 'PX', ARGV[5]) end
    return redis.call('ZRANGE', KEYS[1], 0, 0)[1]`,
  // ARGV: a command of Redis, and what it takes beside the key.
  sellerCall: `return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))`,
  // ARGV: whether a value is expected, that value, the new value, for how many milliseconds.
  sellerReplace: `local value = redis.call('GET', KEYS[1])
    if ARGV[1] == '0' and value then return 0 end
    if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
    if tonumber(ARGV[4]) < 1 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
    return 1`,
};
const numbersOfKeys: Partial<Record<keyof typeof scripts, number>> = { sellerEnter: 4, sellerBegin: 3, sellerLeave: 4 };

/** Runs the scripts of this package on a Redis client. */
class RedisScripts {
  readonly #client: () => Promise<RedisCommands>;
  #defined: Promise<RedisCommands> | undefined;

  constructor(client: () => Promise<RedisCommands>) {
    this.#client = client;
  }

  /** @param args The keys, and what the script takes. */
  async run(name: keyof typeof scripts, ...args: readonly string[]): Promise<unknown> {
    const client = await (this.#defined ??= this.#define());
    sendTogether(client);
    if (client.runCommand) return client.runCommand(name, [...args]);
    return (client as unknown as Record<string, (...args: readonly string[]) => Promise<unknown>>)[name]?.(...args);
  }

  /** The connection is closed: the next script takes another one. */
  close(): void {
    this.#defined = undefined;
  }

  async #define(): Promise<RedisCommands> {
    try {
      const client = await this.#client();
      for (const [name, lua] of Object.entries(scripts))
        client.defineCommand(name, { numberOfKeys: numbersOfKeys[name as keyof typeof scripts] ?? 1, lua });
      return client;
    } catch (error) {
      this.#defined = undefined;
      throw error;
    }
  }
}

/** A ledger in a Redis: each value is a key of its own, which Redis deletes in time. */
class RedisLedger implements Ledger {
  readonly #scripts: RedisScripts;
  /** The name of a value in Redis. */
  readonly nameOf: (key: string) => string;

  constructor(run: RedisScripts, nameOf: (key: string) => string) {
    this.#scripts = run;
    this.nameOf = nameOf;
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#scripts.run('sellerCall', this.nameOf(key), 'GET');
    return typeof value === 'string' ? value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    const isExpected = expected === undefined ? '0' : '1';
    const args = [this.nameOf(key), isExpected, expected ?? '', value, String(Math.ceil(ms))];
    return Number(await this.#scripts.run('sellerReplace', ...args)) === 1;
  }
}
