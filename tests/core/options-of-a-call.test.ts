import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { RequestAbortedError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, onTestFinished, test, vi } from 'vitest';
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
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const { sellerClient } = stubbed([Response.json(answered)]);
  const write = async (): Promise<WeakRef<AbortSignal>> => {
    const { signal } = new AbortController();
    await sellerClient.questions.answer({ question_id, text: 'Yes.' }, { signal });
    return new WeakRef(signal);
  };
  const signal = await write();
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  expect(signal.deref()).toBeUndefined();
});

test('each option of a call is read once', async () => {
  const { sellerClient } = stubbed([Response.json(answered)]);
  const given = {
    signal: undefined,
    timeoutMs: 5,
    deadlineMs: 5000,
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
  const { promise: late, resolve: goOn } = Promise.withResolvers<undefined>();
  let sent = 0;
  let calls = 0;
  const client = new SellerClient({
    baseUrl: 'https://api.test',
    accessToken: 'token-1',
    timeoutMs: 50,
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
  await client.questions.answer({ question_id, text: 'Yes.' });
  goOn(undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect([calls, sent]).toEqual([2, 1]);
});
