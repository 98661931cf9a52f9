import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { createRandom } from '../../src/testing/random.ts';
import { listen } from '../../tests/support/listen.ts';
import { inParallel, pause, pick } from './workload.ts';
import type { Scale, Subject } from './workload.ts';

export interface AbortResult {
  readonly calls: number;
  readonly aborted: number;
  readonly completed: number;
  /** Ended as something else than a result or an abort. */
  readonly wrong: string[];
  /** What is left when all calls are over. */
  readonly left: {
    readonly listeners: number;
    readonly slots: number;
    readonly sources: number;
    readonly requests: number;
  };
  /** Active timers and sockets of the process when the service is closed, beyond those from before. */
  readonly resources: number;
}

/**
 * Makes calls of five kinds and aborts each at a random moment: in the limiter, in the queue, in flight, in the response,
 * in an upload and in a download. One in seven is left to end by itself.
 */
export async function abortAtRandom({ library, transport }: Subject, { count, seed }: Scale): Promise<AbortResult> {
  const random = createRandom(seed);
  const before = activeResources();
  const service = await slowService(random);
  const left = { listeners: 0, slots: 0, sources: 0, requests: 0 };
  const limiter = {
    acquire: async () => {
      await pause(random() * 4);
      left.slots += 1;
    },
    release: () => {
      left.slots -= 1;
    },
  };
  const base = { baseUrl: service.url, accessToken: 'token-1', ...transport };
  const clients = [
    new library.SellerClient(base),
    new library.SellerClient({ ...base, concurrency: 8 }),
    new library.SellerClient({ ...base, limiter }),
  ];
  /** A file that counts whether it is open. */
  async function* source(): AsyncGenerator<Uint8Array> {
    left.sources += 1;
    try {
      for (let part = 0; part < 8; part += 1) {
        await pause(random() * 2);
        yield new Uint8Array(4096);
      }
    } finally {
      left.sources -= 1;
    }
  }
  const kinds: ((seller: (typeof clients)[number], signal: AbortSignal) => Promise<unknown>)[] = [
    (seller, signal) => seller.questions.get({ question_id: 42 }, { signal }),
    (seller, signal) => seller.questions.answer({ question_id: 42, text: 'Yes.' }, { signal }),
    (seller, signal) => seller.questions.search({ seller_id: 7 }, { signal }).toArray(),
    (seller, signal) =>
      seller.messages.upload({ site_id: 'MLA', file: source(), filename: 'a.pdf', size: 8 * 4096 }, { signal }),
    async (seller, signal) => {
      const file = await seller.messages.download({ site_id: 'MLA', attachment_id: 'a.pdf' }, { signal });
      return file.arrayBuffer();
    },
  ];
  const result = { calls: count, aborted: 0, completed: 0, wrong: [] as string[] };
  await inParallel(count, 16, async (n) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), random() < 0.15 ? 5000 : random() * 60);
    try {
      await pick(kinds, random)(clients[n % clients.length]!, controller.signal);
      result.completed += 1;
    } catch (error) {
      if (error instanceof library.RequestAbortedError) result.aborted += 1;
      else result.wrong.push(String(error));
    }
    clearTimeout(timer);
    left.listeners += getEventListeners(controller.signal, 'abort').length;
  });
  left.requests = await settled(service.open);
  await settled(() => left.slots + left.sources);
  await service.close();
  const resources = await settled(() => activeResources() - before);
  return { ...result, left, resources };
}

/** A service that takes its time, and sends each response in two parts. `open` counts unfinished requests. */
async function slowService(
  random: () => number,
): Promise<{ url: string; open: () => number; close: () => Promise<void> }> {
  let open = 0;
  const entries = Array.from({ length: 50 }, (_, n) => ({ id: n + 1, text: 'Is there stock?', status: 'UNANSWERED' }));
  const page = JSON.stringify({ total: 50, limit: 50, questions: entries });
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    request.on('error', () => undefined).resume();
    setTimeout(() => {
      const url = request.url ?? '';
      const text = url.includes('search') ? page : url.includes('a.pdf') ? 'x'.repeat(100_000) : '{"id":42}';
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-length': text.length });
      response.write(text.slice(0, text.length >> 1));
      setTimeout(() => response.end(text.slice(text.length >> 1)), random() * 8);
    }, random() * 12);
  });
  const { url, close } = await listen(server);
  return { url, open: () => open, close };
}

function activeResources(): number {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length;
}

/** The value of a count when it has reached zero, or after ten seconds. */
async function settled(count: () => number): Promise<number> {
  for (let waits = 0; count() > 0 && waits < 500; waits += 1) await pause(20);
  return Math.max(0, count());
}
