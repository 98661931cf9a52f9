import type { CallOptions, ClientOptions, ConfirmOptions, OutcomeUnknownError } from 'marketplace-seller-sdk';
import { RequestAbortedError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, onTestFinished, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { collectGarbageUntil } from '../support/garbage.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

const question_id = 42;
const answered = { ...wireQuestion, id: question_id, status: 'ANSWERED', answer: { text: 'Yes.', status: 'ACTIVE' } };

test('a write is read back with the token and the headers of its call, also if the caller has changed the options since', async () => {
  const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), Response.json(answered)]);
  const options = { accessToken: 'token-of-the-call', headers: { 'x-shop': 'first' } };
  const lost = await errorOf<OutcomeUnknownError>(
    sellerClient.questions.answer({ question_id, text: 'Yes.' }, options),
  );
  options.accessToken = 'another-token';
  options.headers['x-shop'] = 'second';
  await lost.confirm();
  const shown = sent.map(({ headers }) => [headers.get('authorization'), headers.get('x-shop')]);
  expect(shown.length).toBeGreaterThan(1);
  for (const each of shown) expect(each).toEqual(['Bearer token-of-the-call', 'first']);
});

test('a write that succeeded keeps nothing of its call', async () => {
  const { sellerClient } = stubbed([Response.json(answered)]);
  const write = async (): Promise<WeakRef<AbortSignal>> => {
    const { signal } = new AbortController();
    await sellerClient.questions.answer({ question_id, text: 'Yes.' }, { signal });
    return new WeakRef(signal);
  };
  const signal = await write();
  await collectGarbageUntil(() => signal.deref() === undefined);
  expect(signal.deref()).toBeUndefined();
});

test('each option of a call is read once', async () => {
  const { sellerClient } = stubbed([Response.json(answered)]);
  const given = {
    signal: undefined,
    timeoutMs: 20_000,
    deadlineMs: 30_000,
    maxRetries: 1,
    headers: {},
    query: {},
    accessToken: 'a',
  };
  const reads: string[] = [];
  const options = new Proxy(given, {
    get: (target, name) => {
      reads.push(String(name));
      return target[name as keyof typeof given];
    },
  });
  await sellerClient.questions.answer({ question_id, text: 'Yes.' }, options);
  expect(reads.toSorted()).toEqual(Object.keys(given).toSorted());
});

test('the deadline of confirm() of a client is that of its token and its readings together', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { sellerClient } = stubbed([() => new Promise<Response>(() => undefined)]);
  const confirm = (tokenMs: number): Promise<unknown> => {
    const accessToken = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, tokenMs));
      return 'token-1';
    };
    const client = sellerClient.withOptions({ accessToken });
    const options = { sentAt: Date.now(), deadlineMs: 1000 };
    return client.confirm(endpoints.questions.answer, { question_id, text: 'Yes.' }, options);
  };
  for (const tokenMs of [600, 5000]) {
    const found = vi.fn();
    void confirm(tokenMs).then(found, found);
    await vi.advanceTimersByTimeAsync(999);
    expect(found).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(found.mock.calls).toEqual([[{ unknown: 'reading back did not end within its deadline of 1000 ms' }]]);
  }
});

/** How long `confirm()` of the error of an answer takes, whose response was lost, and how often it reads. */
async function confirming(
  read: () => Response | Promise<Response>,
  ofClient: Partial<ClientOptions>,
  ofCall: CallOptions,
  own: ConfirmOptions | undefined,
): Promise<{ ms: number; reads: number }> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), read], { timeoutMs: 60_000, ...ofClient });
  const lost = await errorOf<OutcomeUnknownError>(sellerClient.questions.answer({ question_id, text: 'Yes.' }, ofCall));
  const startedAt = performance.now();
  await advanceUntilSettled(lost.confirm(own));
  return { ms: performance.now() - startedAt, reads: sent.length - 1 };
}

test.each([
  ['its own', { deadlineMs: 500 }, { deadlineMs: 1000 }, { deadlineMs: 2000 }, 500],
  ['its own, also if that is the longest', { deadlineMs: 3000 }, { deadlineMs: 1000 }, { deadlineMs: 2000 }, 3000],
  ['that of the call', {}, { deadlineMs: 1000 }, { deadlineMs: 2000 }, 1000],
  ['that of the call, without options of its own', undefined, { deadlineMs: 1000 }, { deadlineMs: 2000 }, 1000],
  ['that of the call alone', {}, { deadlineMs: 1000 }, {}, 1000],
  ['that of the client', {}, {}, { deadlineMs: 2000 }, 2000],
] as const)('the deadline of confirm() of an error is %s', async (_, own, ofCall, ofClient, expected) => {
  const never = (): Promise<Response> => new Promise(() => undefined);
  expect((await confirming(never, ofClient, ofCall, own)).ms).toBe(expected);
});

// After 0, 100, 300, 700, 1,500 and 3,100 ms, or at the end of the window.
test.each([
  ['its own', { confirmWindowMs: 500 }, { confirmWindowMs: 1000 }, 4],
  ['its own of 0', { confirmWindowMs: 0 }, { confirmWindowMs: 1000 }, 1],
  ['that of the call', {}, { confirmWindowMs: 1000 }, 5],
  ['that of the call, of 0', undefined, { confirmWindowMs: 0 }, 1],
  ['three seconds', {}, {}, 6],
] as const)('the window in which confirm() of an error reads is %s', async (_, own, ofCall, expected) => {
  const open = (): Response => Response.json({ ...wireQuestion, id: question_id });
  expect((await confirming(open, {}, ofCall, own)).reads).toBe(expected);
});

test('an abort while a stored write is read back does not say that the write was not sent', async () => {
  const controller = new AbortController();
  const { sellerClient } = stubbed([]);
  const client = sellerClient.withOptions({
    accessToken: () => {
      controller.abort();
      return Promise.resolve('token-1');
    },
  });
  const input = { question_id, text: 'Yes.' };
  const options = { sentAt: Date.now(), signal: controller.signal };
  const error = await errorOf(client.confirm(endpoints.questions.answer, input, options));
  expect(error).toBeInstanceOf(RequestAbortedError);
  expect(error.message).not.toContain('before it was sent');
});

test('a middleware that is late sends nothing: the request may have been sent again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise: late, resolve: goOn } = Promise.withResolvers<undefined>();
  let sent = 0;
  let calls = 0;
  const client = new SellerClient({
    baseUrl: 'https://api.test',
    accessToken: 'token-1',
    timeoutMs: 20_000,
    maxRetries: 1,
    fetch: () => {
      sent += 1;
      return Promise.resolve(Response.json(answered));
    },
    middleware: [
      async ({ request }, next) => {
        calls += 1;
        if (calls === 1) await late;
        return next(request);
      },
    ],
  });
  await advanceUntilSettled(client.questions.answer({ question_id, text: 'Yes.' }));
  goOn(undefined);
  await vi.advanceTimersByTimeAsync(1);
  expect([calls, sent]).toEqual([2, 1]);
});
