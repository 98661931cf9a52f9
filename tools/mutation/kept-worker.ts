import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Plugin } from 'vitest/config';
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node';

type Listener = (value: unknown) => void;

/**
 * Lets one thread run the tests of fault after fault. Vitest starts a thread for each run; with thousands of runs of a few
 * tests each, starting it and loading the packages would take most of the time.
 */
export const keptWorker: Plugin = {
  name: 'kept-worker',
  configureVitest({ project }) {
    const createPoolWorker = (options: PoolOptions): PoolWorker => new KeptWorker(options);
    Object.assign(project.config, { pool: 'kept', poolRunner: { name: 'kept', createPoolWorker } });
  },
};

let thread: Worker | undefined;
let isStarted = false;
let lastRun: Promise<unknown> = Promise.resolve();

class KeptWorker implements PoolWorker {
  readonly name = 'kept';
  readonly #entry: string;
  readonly #options: WorkerOptions;
  readonly #listeners: [event: string, listener: Listener][] = [];
  #config: unknown;
  #isKept = false;

  constructor({ distPath, env, execArgv }: PoolOptions) {
    this.#entry = `${distPath}/workers/threads.js`;
    this.#options = { env, execArgv, stdout: true, stderr: true };
  }

  start(): Promise<void> {
    thread ??= new Worker(this.#entry, this.#options);
    // What is not read would be held in memory.
    thread.stdout.resume();
    thread.stderr.resume();
    return Promise.resolve();
  }

  /** Responds to `stop`, and to a second `start`, in place of the thread. */
  send(message: WorkerRequest): void {
    if (message.type === 'start') this.#start(message);
    else if (message.type === 'stop') this.#keep();
    else if (message.type === 'run') this.#run(message);
    else thread?.postMessage(message);
  }

  #start(message: WorkerRequest & { type: 'start' }): void {
    this.#config = message.context.config;
    if (isStarted) this.#respond('started');
    else thread?.postMessage(message);
    isStarted = true;
  }

  /** The thread knows the configuration of its first start: names of other tests than this run wants. */
  #run({ context, ...message }: WorkerRequest & { type: 'run' }): void {
    if (thread) lastRun = endOfRun(thread);
    thread?.postMessage({ ...message, context: { ...context, config: this.#config } });
  }

  /** After a failed test the thread still runs what follows the test. */
  #keep(): void {
    this.#isKept = true;
    void lastRun.then(() => this.#respond('stopped'));
  }

  /** Ends the thread only if vitest did not ask it to stop before: then it hangs or has failed. */
  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) thread?.off(event, listener);
    if (this.#isKept) return;
    const broken = thread;
    thread = undefined;
    isStarted = false;
    lastRun = Promise.resolve();
    await broken?.terminate();
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    thread?.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    thread?.off(event, listener);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  #respond(type: 'started' | 'stopped'): void {
    for (const [event, listener] of this.#listeners) {
      if (event === 'message') listener({ type, __vitest_worker_response__: true });
    }
  }
}

function endOfRun(worker: Worker): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const listen = ({ type }: { type?: string }): void => {
    if (type !== 'testfileFinished') return;
    worker.off('message', listen);
    resolve(undefined);
  };
  worker.on('message', listen);
  return promise;
}
