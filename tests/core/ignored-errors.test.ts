import { refreshingToken } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', onUnhandled);
});
afterEach(() => void process.off('unhandledRejection', onUnhandled));

const ways: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('the disk is full');
  },
  'throws undefined': () => {
    // oxlint-disable-next-line typescript/only-throw-error -- callers may do it
    throw undefined;
  },
  rejects: () => Promise.reject(new Error('the disk is full')),
  'returns a thenable that throws': () => ({
    then: () => {
      throw new Error('the disk is full');
    },
  }),
};

const options = { maxRetryDelayMs: 1 };
const ask = { question_id: 42 };
const retried = [networkFault('ECONNRESET'), () => Response.json(wireQuestion)];

async function asks(given: Partial<ClientOptions>): Promise<void> {
  const { sellerClient } = stubbed(retried, { ...options, ...given });
  expect(await sellerClient.questions.get(ask)).toMatchObject({ id: 42 });
}

const bytes = new Uint8Array(200_000);
const filename = 'a.pdf';

/** Each callback of the package whose result is not awaited, and a call that calls it. */
const callbacks: Readonly<Record<string, (callback: () => void) => Promise<void>>> = {
  logger: (callback) => asks({ logger: { debug: callback, info: callback, warn: callback, error: callback } }),
  'tracing.observe': (callback) => asks({ tracing: { observe: callback } }),
  'limiter.release': (callback) => asks({ limiter: { acquire: () => undefined, release: callback } }),
  onDrift: async (callback) => {
    const { sellerClient } = stubbed([Response.json({ ...wireQuestion, text: 5 })], { onDrift: callback });
    await sellerClient.questions.get(ask);
  },
  'the logger, of a call that fails': async (callback) => {
    const logger = { debug: () => undefined, info: () => undefined, warn: callback, error: callback };
    const { sellerClient } = stubbed([Response.json({}, { status: 404 })], { logger });
    await expect(sellerClient.questions.get(ask)).rejects.toMatchObject({ name: 'NotFoundError' });
  },
  onRefreshFailed: async (callback) => {
    const accessToken = refreshingToken({
      load: () => ({ accessToken: 'a', expiresAt: Date.now() + 1000 }),
      refresh: () => Promise.reject(new Error('the service is down')),
      save: () => undefined,
      onRefreshFailed: callback,
    });
    await asks({ accessToken });
  },
  'onUploadProgress, of bytes': async (callback) => {
    const { sellerClient } = stubbed([reading(() => Response.json({ id: 'stored' }))]);
    const upload = sellerClient.messages.upload(
      { site_id: 'MLA', file: bytes, filename },
      { onUploadProgress: callback },
    );
    expect(await upload).toEqual({ id: 'stored' });
  },
  onDownloadProgress: async (callback) => {
    const { sellerClient } = stubbed([new Response(bytes)]);
    const input = { site_id: 'MLA', attachment_id: 'a' };
    const file = await sellerClient.messages.download(input, { onDownloadProgress: callback });
    expect((await file.arrayBuffer()).byteLength).toBe(bytes.length);
  },
  'onFailure and the logger of a inbox': async (callback) => {
    const inbox = createInbox({
      fallback: () => Promise.reject(new Error('no')),
      retry: { maxRetries: 0 },
      logger: { debug: callback, info: callback, warn: callback, error: callback },
      onFailure: callback,
    });
    const notification = { user_id: 7, topic: 'items', resource: '/items/MLA1' };
    await inbox.receive({ method: 'POST', header: () => null, body: async () => notification });
    await inbox.idle();
    await inbox.close();
  },
};

/** A response to a request whose body was read. */
function reading(respond: () => Response): (request: Request) => Promise<Response> {
  return async (request) => {
    await request.arrayBuffer();
    return respond();
  };
}

describe.each(Object.keys(ways))('a callback that %s neither fails a call nor ends the process', (way) => {
  test.each(Object.keys(callbacks))('%s', async (name) => {
    let calls = 0;
    // Not a mock: it would handle the rejections.
    await callbacks[name]!(() => {
      calls += 1;
      return ways[way]!();
    });
    await new Promise(setImmediate);
    expect(calls).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
  });
});
