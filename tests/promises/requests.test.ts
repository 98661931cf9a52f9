import { ConnectionError, InvalidInputError, OutcomeUnknownError, refreshingToken } from 'marketplace-seller-sdk';
import type { ApiError, TokenSet } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

const ok = (): Response => Response.json(wireQuestion);
const text = 'Yes, there is.';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a write after a network fault', () => {
  const neverSent = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ];

  test.each(neverSent)(
    '%s means that nothing was sent: the write is retried and has no unknown outcome',
    async (code) => {
      const { sellerClient, sent } = stubbed([networkFault(code)], { maxRetries: 1 });
      const call = sellerClient.questions.answer({ question_id: 42, text });
      const error = await errorOf(advanceUntilSettled(call));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      expect(sent).toHaveLength(2);
    },
  );

  const mayBeSent = [
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'E_NEW',
  ];

  test.each(mayBeSent)('%s means that it may have been sent: the write is sent once', async (code) => {
    const { sellerClient, sent } = stubbed([networkFault(code)], { maxRetries: 1 });
    const call = sellerClient.questions.answer({ question_id: 42, text });
    expect(await errorOf(advanceUntilSettled(call))).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });
});

describe('a call that waits in the queue', () => {
  test.each([1, 2, 3])(
    'call number %i leaves the queue when it is aborted, and the calls behind it are sent',
    async (index) => {
      const release: (() => void)[] = [];
      const { sellerClient, sent } = stubbed([() => new Promise((resolve) => release.push(() => resolve(ok())))], {
        concurrency: 1,
        maxRetries: 0,
      });
      const controllers = [0, 1, 2, 3].map(() => new AbortController());
      const calls = controllers.map(({ signal }, question_id) =>
        sellerClient.questions.get({ question_id }, { signal }).then(
          () => 'delivered',
          (error: unknown) => (error as Error).name,
        ),
      );
      await vi.advanceTimersByTimeAsync(0);
      controllers[index]!.abort();
      for (let sentSoFar = 1; sentSoFar <= 3; sentSoFar += 1) {
        await vi.advanceTimersByTimeAsync(10);
        release.shift()?.();
      }
      const results = await advanceUntilSettled(Promise.all(calls));
      expect(results).toEqual([0, 1, 2, 3].map((each) => (each === index ? 'AbortError' : 'delivered')));
      expect(sent.map(({ url }) => Number(url.split('/').at(-1)))).toEqual(
        [0, 1, 2, 3].filter((each) => each !== index),
      );
    },
  );
});

describe('the access token', () => {
  const token = 'APP_USR-123-secret';

  test.each<[string, unknown]>([
    ['as a field', { message: 'no', token }],
    ['inside a text', { message: `the token ${token} is not valid` }],
    ['as a name', { message: 'no', [token]: 1 }],
    ['deep inside', { cause: [{ message: 'no', details: { given: [`Bearer ${token}`] } }] }],
  ])('the token is redacted in the body of an error that echoes it %s', async (_, body) => {
    const { sellerClient } = stubbed([Response.json(body, { status: 401 })], { accessToken: token, maxRetries: 0 });
    const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 42 }));
    expect(JSON.stringify(error.body)).toContain('[redacted]');
    expect(JSON.stringify(error.body)).not.toContain(token);
  });

  test('the token is redacted in the body of an error that is no JSON', async () => {
    const page = new Response(`<p>${token}</p>`, { status: 502 });
    const { sellerClient } = stubbed([page], { accessToken: token, maxRetries: 0 });
    expect(await errorOf(sellerClient.questions.get({ question_id: 42 }))).toMatchObject({ body: '<p>[redacted]</p>' });
  });

  test('two calls that race for a new token refresh it once', async () => {
    let stored: TokenSet = { accessToken: 'old', refreshToken: 'r-1', expiresAt: Date.now() + 30_000 };
    const refresh = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { accessToken: 'new', refreshToken: 'r-2', expiresAt: Date.now() + 3600_000 };
    });
    const accessToken = refreshingToken({
      load: () => stored,
      save: (next) => void (stored = next),
      refresh,
    });
    const isNew = (request: Request): boolean => request.headers.get('authorization') === 'Bearer new';
    const { sellerClient } = stubbed(
      [(request) => (isNew(request) ? ok() : Response.json({ error: 'invalid_token' }, { status: 401 }))],
      { accessToken },
    );
    // The stored token expires soon, so the first call starts a refresh in the background; its 401 asks for one, too.
    const calls = [1, 2, 3].map((question_id) => sellerClient.questions.get({ question_id }));
    await advanceUntilSettled(Promise.all(calls));
    expect(refresh).toHaveBeenCalledOnce();
  });

  test('two clients on one refreshing token refresh it once', async () => {
    const refresh = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { accessToken: 'new', expiresAt: Date.now() + 3600_000 };
    });
    const stored = { accessToken: 'old', expiresAt: Date.now() - 1 };
    const accessToken = refreshingToken({ load: () => stored, save: () => undefined, refresh });
    const clients = [1, 2].map(() => stubbed([ok()], { accessToken }).sellerClient);
    await advanceUntilSettled(Promise.all(clients.map((client) => client.questions.get({ question_id: 1 }))));
    expect(refresh).toHaveBeenCalledOnce();
  });
});

describe('the attachments of a message', () => {
  const files = (count: number): string[] => Array.from({ length: count }, (_, n) => `file-${n}.pdf`);
  const sending = { pack_id: '1', user_id: 7, to: { user_id: 31 }, text };

  test('25 attachments are sent', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'm-1' })]);
    await sellerClient.messages.send({ ...sending, attachments: files(25) });
    expect(await sent[0]!.json()).toMatchObject({ attachments: files(25) });
  });

  test('26 attachments are not sent', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'm-1' })]);
    const call = sellerClient.messages.send({ ...sending, attachments: files(26) });
    expect(await errorOf(call)).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  });
});
