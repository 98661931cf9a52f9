import { afterEach, describe, expect, test, vi } from 'vitest';
import { AccessTokenError, AuthenticationError, ForbiddenError } from 'marketplace-seller-sdk';
import { overSockets } from '../support/fake-time.ts';
import { eachTransport, errorOf, wireQuestion } from '../support/stubs.ts';

afterEach(() => void vi.useRealTimers());

const ok = (): Response => Response.json(wireQuestion);
const bearerOf = (request: Request): string | null => request.headers.get('authorization');
/** A service that takes one token. */
const takes =
  (token: () => string) =>
  (request: Request): Response =>
    bearerOf(request) === `Bearer ${token()}` ? ok() : Response.json({ error: 'invalid_token' }, { status: 401 });
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(eachTransport)('a token from a function, over %s', (_, createClient) => {
  test('a 401 requests a new token once and retries the call once', async () => {
    const asked: unknown[] = [];
    const { sellerClient, sent } = await createClient([takes(() => 'new')], {
      accessToken: ({ rejected }) => {
        asked.push(rejected);
        return rejected === undefined ? 'old' : 'new';
      },
    });
    const { response } = await sellerClient.questions.answer({ question_id: 42, text: 'Yes.' }).withResponse();
    expect(response.attempts).toBe(2);
    expect(sent.map(bearerOf)).toEqual(['Bearer old', 'Bearer new']);
    expect(asked).toEqual([undefined, 'old']);
  });

  test('one token request serves all calls that failed with 401 together', async () => {
    let refreshes = 0;
    const { sellerClient } = await createClient([takes(() => 'new')], {
      accessToken: async ({ rejected }) => {
        if (rejected === undefined) return 'old';
        refreshes += 1;
        await tick();
        return 'new';
      },
    });
    await Promise.all(Array.from({ length: 8 }, () => sellerClient.questions.get({ question_id: 1 })));
    expect(refreshes).toBe(1);
  });

  test('calls that begin during a refresh wait for it', async () => {
    let underWay = 0;
    const { sellerClient } = await createClient([takes(() => 'new')], {
      accessToken: async ({ rejected }) => {
        underWay += 1;
        expect(underWay).toBe(1);
        await tick();
        underWay -= 1;
        return rejected === undefined ? 'old' : 'new';
      },
    });
    const first = sellerClient.questions.get({ question_id: 1 });
    await tick();
    await tick();
    await Promise.all([
      first,
      sellerClient.questions.get({ question_id: 2 }),
      sellerClient.withOptions({}).questions.get({ question_id: 3 }),
    ]);
  });

  test('a second 401 rejects the call', async () => {
    const { sellerClient, sent } = await createClient([new Response('{}', { status: 401 })], {
      accessToken: ({ rejected }) => (rejected ? `after-${rejected}` : 'old'),
    });
    expect(await errorOf(sellerClient.questions.get({ question_id: 1 }))).toBeInstanceOf(AuthenticationError);
    expect(sent).toHaveLength(2);
  });

  test('a function that returns the rejected token again fails the call with its 401', async () => {
    const { sellerClient, sent } = await createClient([new Response('{}', { status: 401 })], {
      accessToken: () => 'only',
    });
    expect(await errorOf(sellerClient.questions.get({ question_id: 1 }))).toBeInstanceOf(AuthenticationError);
    expect(sent).toHaveLength(1);
  });

  test('a replaced token does not count as a retry', async () => {
    const failing = (): Response => new Response('{}', { status: 500 });
    const { sellerClient, sent } = await createClient(
      [
        (request, turn) =>
          bearerOf(request) === 'Bearer old' ? takes(() => 'new')(request) : turn < 3 ? failing() : ok(),
      ],
      { accessToken: ({ rejected }) => (rejected ? 'new' : 'old'), maxRetries: 1, maxRetryDelayMs: 1 },
    );
    expect(await sellerClient.questions.get({ question_id: 1 })).toMatchObject({ status: 'UNANSWERED' });
    expect(sent).toHaveLength(3);
  });

  test('a write that got a 401 was not carried out, also where the deadline ends the wait for a token', async () => {
    const { sellerClient } = await createClient([takes(() => 'new')], {
      accessToken: ({ rejected }) => (rejected ? new Promise(() => {}) : 'old'),
    });
    const answer = () => sellerClient.questions.answer({ question_id: 42, text: 'Yes.' }, { deadlineMs: 20_000 });
    expect(await overSockets(() => errorOf(answer()))).toMatchObject({ name: 'TimeoutError', attempts: 1 });
  });

  test('an upload from a stream is not sent again with another token', async () => {
    const supply = vi.fn(() => 'old');
    const { sellerClient, sent } = await createClient([() => new Response('{}', { status: 401 })], {
      accessToken: supply,
    });
    const file = new Blob(['a file']).stream();
    const call = sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 6 });
    expect(await errorOf(call)).toBeInstanceOf(AuthenticationError);
    expect(supply).toHaveBeenCalledOnce();
    expect(sent).toHaveLength(1);
  });

  test('no new token is requested after a 403, for a string token, or for a token of the call', async () => {
    const supply = vi.fn(() => 'token');
    const { sellerClient, sent } = await createClient([new Response('{}', { status: 403 })], { accessToken: supply });
    expect(await errorOf(sellerClient.questions.get({ question_id: 1 }))).toBeInstanceOf(ForbiddenError);
    expect(supply).toHaveBeenCalledTimes(1);
    expect(sent).toHaveLength(1);
    const other = await createClient([new Response('{}', { status: 401 })]);
    await errorOf(other.sellerClient.questions.get({ question_id: 1 }));
    await errorOf(other.sellerClient.questions.get({ question_id: 1 }, { accessToken: 'mine' }));
    expect(other.sent).toHaveLength(2);
  });

  test('a failed token request rejects the call with its cause, and the next call tries again', async () => {
    let isUp = false;
    const reason = new Error('the vault is sealed');
    const { sellerClient } = await createClient([takes(() => 'new')], {
      accessToken: async ({ rejected }) => {
        if (rejected === undefined) return 'old';
        if (!isUp) throw reason;
        return 'new';
      },
    });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(error.cause).toBe(reason);
    isUp = true;
    await expect(sellerClient.questions.get({ question_id: 1 })).resolves.toMatchObject({ status: 'UNANSWERED' });
    // The function goes on giving the old one; it is not believed any more.
    await expect(sellerClient.questions.get({ question_id: 1 })).resolves.toMatchObject({ status: 'UNANSWERED' });
  });

  test('an abort leaves a pending token request running for the other calls', async () => {
    let give: (token: string) => void = () => {};
    const { sellerClient } = await createClient([ok()], {
      accessToken: () => new Promise((resolve) => (give = resolve)),
    });
    const controller = new AbortController();
    const aborted = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    const other = sellerClient.questions.get({ question_id: 2 });
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError', attempts: 0 });
    give('late');
    await expect(other).resolves.toMatchObject({ status: 'UNANSWERED' });
  });
});
