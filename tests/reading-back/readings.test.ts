import { getEventListeners } from 'node:events';
import type { CallOptions, Endpoint, OutcomeUnknownError, SellerClient, UploadParams } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

// How a write is read back: how often, with what, until when, and what it gives.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const input = { question_id: 42, text: 'Yes' };
const pending = { id: 42, status: 'UNANSWERED', text: 'Hay stock?' };
const found = { ...pending, status: 'ANSWERED', answer: { text: 'Yes' } };
const lost = networkFault('ECONNRESET');
const never = (): Promise<Response> => new Promise(() => undefined);
const answer = (client: SellerClient, options?: CallOptions): Promise<unknown> =>
  advanceUntilSettled(client.questions.answer(input, options));

/** The error of an answer whose response is lost, and the service that then goes through the steps. */
async function lostAnswer(steps: readonly Step[], options: CallOptions = {}) {
  const { sellerClient, sent } = stubbed([lost, ...steps], { maxRetries: 0 });
  const error = await errorOf<OutcomeUnknownError>(answer(sellerClient, options));
  return { error, reads: () => sent.length - 1 };
}

test('it is repeated after pauses that double, and at the end of confirmWindowMs', async () => {
  const readAt: number[] = [];
  const { error } = await lostAnswer([() => (readAt.push(performance.now()), Response.json(pending))]);
  const startedAt = performance.now();
  expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 1000 }))).toEqual({ done: false });
  expect(readAt.map((at) => at - startedAt)).toEqual([0, 100, 300, 700, 1000]);
});

test.each([
  [0, 1],
  [1000, 5],
])('it takes the confirmWindowMs of its call: with %i ms, %i reads', async (confirmWindowMs, reads) => {
  const own = await lostAnswer([() => Response.json(pending)], { confirmWindowMs });
  expect(await advanceUntilSettled(own.error.confirm())).toEqual({ done: false });
  expect(own.reads()).toBe(reads);
  const { sellerClient, sent } = stubbed([lost, () => Response.json(pending)], { maxRetries: 0 });
  await errorOf(answer(sellerClient.withOptions({ unknownOutcome: 'confirm' }), { confirmWindowMs }));
  expect(sent).toHaveLength(1 + reads);
});

test('it ends with the first read that finds the write, and leaves no timer', async () => {
  const { error, reads } = await lostAnswer([Response.json(pending), Response.json(found)]);
  const confirming = error.confirm({ confirmWindowMs: 60_000, deadlineMs: 60_000 });
  expect(await advanceUntilSettled(confirming)).toMatchObject({ done: true });
  expect(reads()).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('it has the token, the headers and the timeout of the call', async () => {
  const { sellerClient, sent } = stubbed([lost, never], { maxRetries: 0, unknownOutcome: 'confirm' });
  const { signal } = new AbortController();
  const startedAt = performance.now();
  await errorOf(answer(sellerClient, { accessToken: 'token-2', headers: { 'x-team': 'a' }, timeoutMs: 700, signal }));
  const { method, headers } = sent[1]!;
  expect([method, headers.get('authorization'), headers.get('x-team')]).toEqual(['GET', 'Bearer token-2', 'a']);
  // The time limit of the client would be 30 s for each read.
  expect(performance.now() - startedAt).toBeLessThan(5000);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('the deadline of the call ends it, and cancels its request', async () => {
  let isCancelled = false;
  const hang = ({ signal }: Request): Promise<Response> =>
    new Promise(() => signal.addEventListener('abort', () => (isCancelled = true)));
  const { sellerClient } = stubbed([lost, hang], { unknownOutcome: 'confirm', timeoutMs: 60_000 });
  const startedAt = performance.now();
  const error = await errorOf(answer(sellerClient, { deadlineMs: 12_000 }));
  expect(error.name).toBe('OutcomeUnknownError');
  expect(performance.now() - startedAt).toBeLessThan(12_100);
  await vi.advanceTimersByTimeAsync(100);
  expect(isCancelled).toBe(true);
});

test('it can be aborted, and the outcome stays unknown', async () => {
  const { error } = await lostAnswer([never]);
  const controller = new AbortController();
  const confirming = errorOf(error.confirm({ signal: controller.signal }));
  await vi.advanceTimersByTimeAsync(10);
  controller.abort();
  const aborted = await confirming;
  expect(aborted).toMatchObject({ name: 'AbortError', outcomeUnknown: true });
  expect(aborted.message).toMatch(/^Confirming POST \/answers was aborted by the caller after it was sent/);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[string, object | null]>([
  ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: Number.NaN }],
  ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: -1 }],
  ['`confirmWindowMs` takes an integer, at least 0', { confirmWindowMs: Infinity }],
  ['`deadlineMs` takes a number of milliseconds above 0', { deadlineMs: 0 }],
  ['`signal` takes an object', { signal: 'stop' }],
  ['there is no option `windowMs`', { windowMs: 5 }],
  ['the options are not an object', null],
])('a wrong option is rejected (%s) before it reads', async (message, options) => {
  const { error, reads } = await lostAnswer([]);
  const failure = await errorOf(error.confirm(options as never));
  expect(failure).toMatchObject({ name: 'InvalidInputError', message: expect.stringContaining(message) as string });
  expect(reads()).toBe(0);
});

test('it does not wait where there is nothing to read', async () => {
  const { sellerClient, sent } = stubbed([lost], { maxRetries: 0 });
  const error = await errorOf<OutcomeUnknownError>(sellerClient.questions.hide({ question_id: 42 }));
  const before = Date.now();
  const unknown = 'there is no way to read back what this endpoint does';
  expect(await error.confirm({ confirmWindowMs: 60_000 })).toEqual({ unknown });
  expect([Date.now() - before, sent.length]).toEqual([0, 1]);
});

test('the input is the one that was sent, also where the caller has used its object again', async () => {
  const { sellerClient } = stubbed([lost, Response.json(found)], { maxRetries: 0 });
  const reused = { ...input };
  const call = errorOf<OutcomeUnknownError>(sellerClient.questions.answer(reused));
  reused.text = 'Another text';
  const confirming = (await call).confirm({ confirmWindowMs: 0 });
  expect(await advanceUntilSettled(confirming)).toMatchObject({ done: true });
});

describe('by an endpoint of the user', () => {
  const confirmed = async (confirm: Endpoint['confirm'], accessToken = 'APP_USR-500-000001-31'): Promise<unknown> => {
    const { sellerClient } = stubbed([lost], { maxRetries: 0 });
    const endpoint: Endpoint = { ...endpoints.questions.hide, input: z.looseObject({}), ...(confirm && { confirm }) };
    const error = await errorOf<OutcomeUnknownError>(sellerClient.call(endpoint, {}, { accessToken }));
    return error.confirm({ confirmWindowMs: 0 });
  };

  test('it knows the user of the token', async () => {
    const read = await confirmed((_, { userId }) => Promise.resolve({ done: true, output: userId }));
    expect(read).toEqual({ done: true, output: '31' });
  });

  test.each([
    [new Error('the mirror is down'), 'reading back failed: the mirror is down'],
    ['down', 'reading back failed: without a stated reason'],
  ])('that throws %s, nothing is known', async (thrown, unknown) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an endpoint of the user may do that
    expect(await confirmed(() => Promise.reject(thrown))).toEqual({ unknown });
  });
});

describe('a write that is found gives its last response', () => {
  test('of as much time as the service needs', async () => {
    const slowly = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return Response.json(found, { headers: { 'x-request-id': 'r-200' } });
    };
    const { sellerClient } = stubbed([lost, slowly], { unknownOutcome: 'confirm' });
    expect(await advanceUntilSettled(sellerClient.questions.answer(input).withResponse())).toMatchObject({
      data: found,
      response: { status: 200, requestId: 'r-200', attempts: 1 },
    });
  });

  test('also an error response', async () => {
    const headers = { 'x-request-id': 'r-404' };
    const gone = Response.json({ message: 'Question not found' }, { status: 404, headers });
    const { sellerClient } = stubbed([lost, gone], { unknownOutcome: 'confirm' });
    const call = sellerClient.questions.delete({ question_id: 42 }).withResponse();
    expect(await advanceUntilSettled(call)).toMatchObject({
      data: [],
      response: { status: 404, requestId: 'r-404', attempts: 1 },
    });
  });
});

describe('confirm() of a client, for a write that was stored', () => {
  const wrongTimes = [undefined, null, '2026-03-01', NaN, 1_790_000_000, -1, Date.now() + 365 * 86_400_000];
  const [answerIt, upload] = [endpoints.questions.answer, endpoints.messages.upload];

  test.each<[object, unknown, object | undefined]>([
    ...wrongTimes.map((sentAt): [object, unknown, object] => [input, { sentAt }, { path: ['sentAt'] }]),
    [{ question_id: 42 }, { sentAt: 1_772_000_000_000 }, { path: ['text'] }],
    [input, undefined, undefined],
    [input, { sentAt: 1_772_000_000_000, window: 5 }, undefined],
  ])('rejects %j with %j before anything is sent', async (given, options, issue) => {
    const { sellerClient, sent } = stubbed([() => Response.json(found)]);
    const error = await errorOf(sellerClient.confirm(answerIt, given as typeof input, options as { sentAt: number }));
    expect(error).toMatchObject({ name: 'InvalidInputError', ...(issue && { issues: [issue] }) });
    expect(sent).toEqual([]);
  });

  test('knows no way to read back an upload', async () => {
    const { sellerClient, sent } = stubbed([() => Response.json({})]);
    const file = { site_id: 'MLA' } as unknown as UploadParams;
    const unknown = 'there is no way to read back what this endpoint does';
    expect(await sellerClient.confirm(upload, file, { sentAt: Date.now() })).toEqual({ unknown });
    expect(sent).toEqual([]);
  });

  test('reads again for a while, unless the write is so old that the service cannot be processing it', async () => {
    const { sellerClient, sent } = stubbed([() => Response.json(pending)]);
    const confirm = (sentAt: number): Promise<unknown> => sellerClient.confirm(answerIt, input, { sentAt });
    expect(await advanceUntilSettled(confirm(Date.now()))).toEqual({ done: false });
    expect(sent.length).toBeGreaterThan(1);
    sent.length = 0;
    expect(await advanceUntilSettled(confirm(Date.now() - 60_000))).toEqual({ done: false });
    expect(sent).toHaveLength(1);
  });
});
