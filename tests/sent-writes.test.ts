import { ConnectionError, OutcomeUnknownError } from 'marketplace-seller-sdk';
import type { Confirmation, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SentWrites } from '../src/tools/error-result.js';

// A write of a model or of the command `call` that is asked for once, twice and three times, and what was read back meanwhile.

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const { answer, ask } = endpoints.questions;
const input = { question_id: 42, text: 'Yes.' };
const output = { id: 42 };
const hour = 3_600_000;
type Found = Confirmation | Error;
const open: Confirmation = { unknown: 'two look like it' };

/** A call whose response is lost: `found` is what reading back shows at once. */
function lost(found: Found): Promise<never> {
  const error = new OutcomeUnknownError('lost');
  const confirm = (): Promise<Confirmation> =>
    found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  return Promise.reject(Object.defineProperty(error, 'confirm', { value: confirm }));
}

/** The writes of a client whose calls end in this order, and whose readings show this. */
function writesOf(calls: readonly (Found | 'succeeds')[], readings: readonly Found[] = []) {
  const ends = [...calls];
  const left = [...readings];
  const call = vi.fn(() => {
    const end = ends.shift()!;
    return end === 'succeeds' ? Promise.resolve(output) : lost(end);
  });
  const confirm = vi.fn((..._: unknown[]) => {
    const found = left.shift()!;
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  });
  const writes = new SentWrites({ call, confirm } as unknown as SellerClient);
  return {
    call,
    confirm,
    send: (given: object = input, endpoint: typeof answer = answer) => writes.send(endpoint, given),
  };
}

test.each<[string, Found, object]>([
  ['is found', { done: true, output }, { output }],
  ['is found without an output', { done: true, output: undefined }, { output: undefined }],
  ['was not carried out', { done: false }, { error: expect.any(OutcomeUnknownError) as Error, isUndone: true }],
  ['is not known', open, { error: expect.any(OutcomeUnknownError) as Error, unknown: 'two look like it' }],
  [
    'cannot be read back',
    new ConnectionError('no route'),
    { error: expect.any(OutcomeUnknownError) as Error, unknown: 'it cannot be read back now (no route)' },
  ],
])('a write whose response was lost, and that %s at once', async (_, found, expected) => {
  const { send, confirm } = writesOf([found]);
  expect(await send()).toEqual(expected);
  expect(confirm).not.toHaveBeenCalled();
});

describe('a write that is not known, and is asked for again', () => {
  test.each<[string, Found, object, number]>([
    ['found', { done: true, output }, { output }, 1],
    ['not found: it is sent', { done: false }, { output }, 2],
    ['not known either', open, { unknown: 'two look like it' }, 1],
    ['not readable', new ConnectionError('no route'), { unknown: 'it cannot be read back now (no route)' }, 1],
  ])('is %s', async (_, found, expected, calls) => {
    const { send, call } = writesOf([open, 'succeeds'], [found]);
    await send();
    expect(await send()).toMatchObject(expected);
    expect(call).toHaveBeenCalledTimes(calls);
  });

  test('is read back by the time of its first call, however often', async () => {
    const { send, confirm } = writesOf([open], [open, new ConnectionError('no route'), { done: true, output }]);
    const sentAt = Date.now();
    for (let time = 0; time < 4; time += 1) {
      await send();
      vi.setSystemTime(Date.now() + hour);
    }
    expect(confirm.mock.calls).toEqual(Array(3).fill([answer, input, { sentAt }]));
  });

  test('is sent once more when it was found, because that is another one', async () => {
    const { send, call, confirm } = writesOf([open, 'succeeds', 'succeeds'], [{ done: true, output }]);
    for (let time = 0; time < 4; time += 1) await send();
    expect([call.mock.calls.length, confirm.mock.calls.length]).toEqual([3, 1]);
  });

  test('and was sent again, is read back by the time of that when its response is lost too', async () => {
    const { send, confirm } = writesOf([open, open], [{ done: false }, open]);
    await send();
    vi.setSystemTime(Date.now() + hour);
    const again = Date.now();
    await send();
    vi.setSystemTime(Date.now() + hour);
    await send();
    expect(confirm.mock.calls.map(([, , options]) => options)).toEqual([{ sentAt: again - hour }, { sentAt: again }]);
  });

  test.each<[string, object, typeof answer]>([
    ['another text', { ...input, text: 'No.' }, answer],
    ['another question', { ...input, question_id: 43 }, answer],
    ['another operation', input, ask as unknown as typeof answer],
  ])('stands in the way of no write with %s', async (_, other, endpoint) => {
    const { send, call, confirm } = writesOf([open, 'succeeds'], [open]);
    await send();
    expect(await send(other, endpoint)).toEqual({ output });
    expect([call.mock.calls.length, confirm.mock.calls.length]).toEqual([2, 0]);
    expect(await send()).toMatchObject({ unknown: 'two look like it' });
  });
});

test('a write that was not carried out, or succeeded, is sent when it is asked for again', async () => {
  for (const first of [{ done: false } as const, { done: true, output } as const, 'succeeds' as const]) {
    const { send, call, confirm } = writesOf([first, 'succeeds']);
    await send();
    expect(await send()).toEqual({ output });
    expect([call.mock.calls.length, confirm.mock.calls.length]).toEqual([2, 0]);
  }
});

test('what failed for certain is thrown, and nothing is kept of it', async () => {
  const { send, call } = writesOf(['succeeds']);
  call.mockImplementationOnce(() => Promise.reject(new ConnectionError('never sent')));
  await expect(send()).rejects.toThrow('never sent');
  expect(await send()).toEqual({ output });
});
