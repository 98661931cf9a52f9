import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimitError, SellerClient } from 'marketplace-seller-sdk';
import type { Tracing } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { rawServer } from '../support/raw-server.ts';
import { errorOf } from '../support/stubs.ts';
import { smallCalls } from '../support/small-calls.ts';
import { transports } from '../support/transports.ts';

describe.each(transports)('over %s', (_, transport) => {
  test('of 2,500 headers the last one is read too', async () => {
    const url = await rawServer((to) => {
      to.write(`HTTP/1.1 429 No\r\n${'a:b\r\n'.repeat(2500)}x-request-id: r-1\r\nretry-after: 77\r\n`);
      to.write('content-length: 2\r\n\r\n{}');
    });
    const client = new SellerClient({ baseUrl: url, accessToken: 'token-1', maxRetries: 0, ...transport });
    const error = await errorOf<RateLimitError>(client.questions.get({ question_id: 42 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect([error.requestId, error.retryAfterMs]).toEqual(['r-1', 77_000]);
  });

  test.each(smallCalls)('a connection that is lost while tracing waits ends a %s at once', async (name, call) => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-length': 50 });
      to.write('{"id"');
    });
    const tracing: Tracing = {
      observe: () => undefined,
      wrapAttempt: async (__, next) => {
        const response = await next();
        for (const socket of server.sockets) socket.resetAndDestroy();
        await expect.poll(() => server.sockets.size).toBe(0);
        await sleep(20);
        return response;
      },
    };
    const options = { baseUrl: server.url, accessToken: 'token-1', maxRetries: 0, timeoutMs: 60_000, tracing };
    const error = await errorOf(call(new SellerClient({ ...options, ...transport })));
    expect(error.name).toBe(name === 'GET' ? 'ConnectionError' : 'OutcomeUnknownError');
  });
});
