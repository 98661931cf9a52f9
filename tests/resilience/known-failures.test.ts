import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AccessTokenError,
  ConnectionError,
  InvalidInputError,
  OutcomeUnknownError,
  RateLimitError,
  RequestAbortedError,
  SellerClient,
  ServerError,
  TimeoutError,
} from 'marketplace-seller-sdk';
import type { ClientOptions, Drift } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { startServer, json, reset } from '../support/http-server.ts';
import { unusedUrl } from '../support/listen.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';
import { waitLogger } from '../support/waits.ts';
import type { LoggedWait } from '../support/waits.ts';

const answer = { question_id: 42, text: 'Sí, hay stock para entregar hoy.' };

describe.each(transports)('failures that other libraries are known for, over %s', (_, transport) => {
  const client = (baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'APP_USR-secret-1', ...transport, ...options });

  test('a body that stalls ends with the timeout, and its socket is closed', async () => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
    });
    const sellerClient = client(server.url, { timeoutMs: 100, maxRetries: 0 });
    const error = await overSockets(() => errorOf(sellerClient.questions.get({ question_id: 42 })));
    expect(error).toBeInstanceOf(TimeoutError);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('a response that never begins ends with the timeout', async () => {
    const server = await startServer(() => {});
    const sellerClient = client(server.url, { timeoutMs: 50, maxRetries: 1 });
    expect(await overSockets(() => errorOf(sellerClient.questions.get({ question_id: 42 })))).toMatchObject({
      name: 'TimeoutError',
      attempts: 2,
    });
  });

  test('an abort ends the wait for a Retry-After at once', async () => {
    // Longer than the test may take.
    const server = await startServer((to) => json(to, 429, {}, { 'retry-after': '60' }));
    const controller = new AbortController();
    const onWait = (): void => void setTimeout(() => controller.abort(new Error('the user left')), 10);
    const sellerClient = client(server.url, { maxRetryDelayMs: 120_000, logger: waitLogger(onWait) });
    const error = await errorOf(sellerClient.questions.get({ question_id: 42 }, { signal: controller.signal }));
    expect(error).toBeInstanceOf(RequestAbortedError);
    expect(error).toMatchObject({ name: 'AbortError', cause: { message: 'the user left' }, attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  test('a Retry-After of one hour rejects the call instead of waiting', async () => {
    const server = await startServer((to) => json(to, 429, {}, { 'retry-after': '3600' }));
    const error = await errorOf<RateLimitError>(client(server.url).questions.get({ question_id: 42 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBe(3_600_000);
    expect(error.attempts).toBe(1);
  });

  test('a write that fails with 503 is sent once, and its outcome is unknown', async () => {
    const server = await startServer((to) => json(to, 503, { message: 'busy' }));
    const error = await errorOf<ServerError>(client(server.url).questions.answer(answer));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.outcomeUnknown).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  test('a write whose connection is reset is sent once, and its outcome is unknown', async () => {
    const server = await startServer((to) => reset(to));
    const error = await errorOf<OutcomeUnknownError>(client(server.url).questions.answer(answer));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('may or may not have been carried out');
    expect(error.cause).toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(1);
  });

  test('a write that could not be sent has no unknown outcome', async () => {
    const sellerClient = client(await unusedUrl(), { maxRetries: 1 });
    const error = await errorOf<ConnectionError>(sellerClient.questions.answer(answer));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.attempts).toBe(2);
  });

  test('an HTML 502 keeps status, request id and body', async () => {
    const page = '<html><body><h1>Bad Gateway</h1></body></html>';
    const server = await startServer((to) => {
      to.writeHead(502, { 'content-type': 'text/html', 'x-request-id': 'r-1' }).end(page);
    });
    const error = await errorOf<ServerError>(client(server.url, { maxRetries: 0 }).questions.get({ question_id: 42 }));
    expect(error).toMatchObject({ name: 'ServerError', status: 502, requestId: 'r-1', body: page });
    expect(error.message).toBe('GET /questions/{question_id} failed with 502: Bad Gateway');
  });

  test('a network fault keeps its cause and its code', async () => {
    const server = await startServer((to) => reset(to));
    const error = await errorOf<ConnectionError>(
      client(server.url, { maxRetries: 0 }).questions.get({ question_id: 42 }),
    );
    expect(error.message).toContain('ECONNRESET');
    expect(error.cause).toMatchObject({ message: 'fetch failed' });
  });

  test('a debug log holds no token, cookie or user text', async () => {
    const server = await startServer((to, turn) => {
      json(to, turn === 1 ? 429 : 400, { message: `no: ${answer.text}` }, { 'set-cookie': 'sid=cookie-9' });
    });
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    await errorOf(client(server.url, { logger }).questions.answer(answer));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const shown = inspect(lines, { depth: 10 });
    expect(shown).not.toMatch(/secret-1|cookie-9|hay stock para/);
    expect(shown).toContain('/answers');
  });

  test.each(['..', '.', '', '7/../8', 'a/b', 'a?b', 'a#b', 'a\r\nb', '%2e%2e'])(
    'the id %j is not sent, because it would call another endpoint',
    async (id) => {
      const server = await startServer((to) => json(to, 200, {}));
      const error = await errorOf(client(server.url).questions.get({ question_id: id }));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(server.received).toHaveLength(0);
    },
  );

  test('a server that repeats one page forever gets a limited number of requests', async () => {
    const server = await startServer((to) => json(to, 200, { total: 1e9, limit: 1, questions: [wireQuestion] }));
    // The rest of the stated total is missing, and the caller is told.
    const drifts: string[] = [];
    const list = client(server.url, { onDrift: ({ expected }) => drifts.push(expected) }).questions.search({
      seller_id: 7,
    });
    expect(await list.toArray()).toHaveLength(1);
    expect(drifts).toEqual(['`total` is 1000000000, but the list ended after 1 entries']);
    expect(server.received.length).toBeLessThan(10);
  });

  test('sixty finished calls leave no listener on their signal', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const { signal } = new AbortController();
    const count = countingListeners(signal);
    const sellerClient = client(server.url, { deadlineMs: 600_000 });
    await Promise.all(Array.from({ length: 60 }, () => sellerClient.questions.get({ question_id: 42 }, { signal })));
    expect(count()).toBe(0);
  });

  test('a token function that throws, rejects or returns no token is an AccessTokenError', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const reason = new Error('vault is sealed');
    const suppliers: ClientOptions['accessToken'][] = [
      () => Promise.reject(reason),
      () => {
        throw reason;
      },
    ];
    for (const accessToken of suppliers) {
      const error = await errorOf(client(server.url, { accessToken }).questions.get({ question_id: 42 }));
      expect(error).toBeInstanceOf(AccessTokenError);
      expect(error.cause).toBe(reason);
    }
    const nonsense = client(server.url, { accessToken: () => undefined as unknown as string });
    expect(await errorOf(nonsense.questions.get({ question_id: 42 }))).toBeInstanceOf(AccessTokenError);
    expect(server.received).toHaveLength(0);
  });

  test('a token function that hangs ends the call after the timeout', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    let signal: AbortSignal | undefined;
    const accessToken = (context: { signal: AbortSignal }): Promise<string> => {
      signal = context.signal;
      return new Promise(() => {});
    };
    // real: there is never a token.
    const sellerClient = client(server.url, { accessToken, timeoutMs: 50 });
    const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(error.message).toContain('50 ms');
    expect(signal?.aborted).toBe(true);
  });

  test('the options of one call do not leak into the next', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const sellerClient = client(server.url);
    await sellerClient.questions.get(
      { question_id: 42 },
      { headers: { 'x-trace': 'one' }, query: { debug: true }, accessToken: 'other-token' },
    );
    await sellerClient.questions.get({ question_id: 42 });
    expect(server.received[0]).toMatchObject({ url: '/questions/42?debug=true', headers: { 'x-trace': 'one' } });
    expect(server.received[1]!.url).toBe('/questions/42');
    expect(server.received[1]!.headers['x-trace']).toBeUndefined();
    expect(server.received[1]!.headers.authorization).toBe('Bearer APP_USR-secret-1');
  });

  test("responseValidation: 'report' reports a response of another shape without failing", async () => {
    const server = await startServer((to) => json(to, 200, { id: 'x42', text: 'a private text' }));
    const seen: Drift[] = [];
    const sellerClient = client(server.url, {
      responseValidation: 'report',
      onDrift: (drift) => void seen.push(drift),
    });
    expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 'x42' });
    expect(seen).toMatchObject([{ path: ['id'], received: 'string' }]);
    expect(JSON.stringify(seen)).not.toContain('private');
  });

  test('a redirect does not carry the token away', async () => {
    const other = await startServer((to) => json(to, 200, wireQuestion));
    const server = await startServer((to) => {
      to.writeHead(307, { location: `${other.url}/stolen` }).end();
    });
    await errorOf(client(server.url, { maxRetries: 0 }).questions.answer(answer));
    expect(other.received).toHaveLength(0);
  });

  test('a truncated response to a write says that it was most likely carried out', async () => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-length': '500' });
      to.write('{"id": 42', () => to.socket?.destroy());
    });
    const error = await errorOf<OutcomeUnknownError>(client(server.url).questions.answer(answer));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.status).toBe(200);
    expect(error.message).toContain('most likely carried out');
  });

  test('sixty calls against a limit of ten per second succeed with a limited number of requests', async () => {
    const granted: number[] = [];
    const server = await startServer((to, _, { at }) => {
      const recent = granted.filter((time) => at - time < 1000);
      if (recent.length >= 10) {
        json(to, 429, { error: 'too_many_requests' });
        return;
      }
      granted.push(at);
      json(to, 200, wireQuestion);
    });
    const waits: LoggedWait[] = [];
    const sellerClient = client(server.url, { logger: waitLogger((wait) => waits.push(wait)) });
    const found = await overSockets(() =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          sellerClient.questions.get({ question_id: 42 }, { query: { turn: index } }),
        ),
      ),
    );
    expect(found).toHaveLength(60);
    expect(server.received.length).toBeLessThanOrEqual(100);
    expect(waits.some(({ reason, waitMs }) => reason === 'rate limit' && waitMs > 0)).toBe(true);
  });

  test('aborted calls leave no socket behind', async () => {
    const server = await startServer(() => {});
    const sellerClient = client(server.url, { timeoutMs: 600_000, maxRetries: 0 });
    const controller = new AbortController();
    const calls = Array.from({ length: 10 }, () =>
      errorOf(sellerClient.questions.get({ question_id: 42 }, { signal: controller.signal })),
    );
    await expect.poll(() => server.received.length).toBeGreaterThan(0);
    controller.abort();
    await Promise.all(calls);
    await expect.poll(() => server.sockets.size).toBe(0);
    await sleep(0);
  });
});

/** How many abort listeners are on a signal now. */
function countingListeners(signal: AbortSignal): () => number {
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: unknown[]) => {
    count += 1;
    addEventListener.apply(signal, args as Parameters<typeof addEventListener>);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    count -= 1;
    removeEventListener.apply(signal, args as Parameters<typeof removeEventListener>);
  };
  return () => count;
}
