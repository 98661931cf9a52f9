import { memoryStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import type { OutboxContext } from '../../src/outbox/options.js';
import { runJob } from '../../src/outbox/run-job.js';
import type { Run, StepOutput } from '../../src/work/store.js';
import { stoppedClocks } from '../support/fake-time.ts';

// Which files of earlier runs a message still takes: in the last millisecond of a day, and of the older of two.

stoppedClocks();

const day = 24 * 3_600_000;
const upload = { endpoint: 'messages.upload', input: { site_id: 'MLA', file: 'invoice.pdf' } };
const send = { endpoint: 'messages.send', input: { text: 'Here it is.' } };

type Steps = readonly (typeof upload | typeof send)[];
type WriteState = 'sent' | 'done' | 'rejected';

/** What is called for a job that has reached the last of its steps, `agesMs` after the steps before it. */
async function callsOf(steps: Steps, agesMs: readonly number[], states: readonly WriteState[] = []) {
  const calls: unknown[] = [];
  const call = async ({ name }: { name: string }, { attachments }: { attachments?: unknown }) => {
    calls.push(name === send.endpoint ? [name, attachments] : name);
    return name === send.endpoint ? { status: 'available' } : { id: `new ${calls.length}` };
  };
  const outputs = agesMs.map((ageMs, at): StepOutput => ({ at: Date.now() - ageMs, output: { id: `old ${at}` } }));
  const writes = states.map((state) => ({ id: state, target: 'messages.send 1', input: send.input, sentAt: 1, state }));
  const run: Run = {
    notes: { outputs, writes, unknowns: 1, followedSince: Date.now() },
    signal: new AbortController().signal,
    abort: () => undefined,
    note: async () => true,
  };
  const known = new Map(Object.values(endpoints.messages).map((endpoint) => [endpoint.name, endpoint]));
  const options = { clientFor: () => ({ call }), keep: { keysMs: day } };
  const context = { options, store: memoryStore(), known } as unknown as OutboxContext;
  expect(await runJob({ key: 'job', user_id: 7, steps }, run, context)).toMatchObject({ state: 'accepted', inMs: day });
  // The next step begins with nothing of this one.
  expect(run.notes).toEqual({ outputs: expect.any(Array) as unknown });
  return calls;
}

describe('the files of a message', () => {
  test.each([0, day - 1])('are those that were uploaded %i ms before', async (ageMs) => {
    expect(await callsOf([upload, send], [ageMs])).toEqual([['messages.send', ['old 0']]]);
  });

  test.each([day, day + 1])('are uploaded again %i ms later', async (ageMs) => {
    expect(await callsOf([upload, send], [ageMs])).toEqual(['messages.upload', ['messages.send', ['new 1']]]);
  });

  test.each([
    [day - 1, 0, [['messages.send', ['old 0', 'old 1']]]],
    [day, 0, ['messages.upload', 'messages.upload', ['messages.send', ['new 1', 'new 2']]]],
  ])('are all uploaded again, if the older of two is %i ms old', async (first, second, expected) => {
    expect(await callsOf([upload, upload, send], [first, second])).toEqual(expected);
  });

  test.each([
    [day, [['messages.send', ['old 2']]]],
    [day - 1, [['messages.send', ['old 2']]]],
  ])('do not age with those of an earlier message, of %i ms ago', async (ageMs, expected) => {
    expect(await callsOf([upload, send, upload, send], [ageMs, ageMs, 0])).toEqual(expected);
  });

  test('are those since the message before, also if there are two before', async () => {
    const steps = [upload, send, upload, send, upload, send];
    expect(await callsOf(steps, [0, 0, 0, 0, 0])).toEqual([['messages.send', ['old 4']]]);
  });

  test('are uploaded again without the message before them', async () => {
    const expected = ['messages.upload', ['messages.send', ['new 1']]];
    expect(await callsOf([upload, send, upload, send], [day, day, day])).toEqual(expected);
  });

  test('stay, whatever their age, if there are none: a message without files goes once', async () => {
    expect(await callsOf([send, send], [2 * day])).toEqual([['messages.send', undefined]]);
  });

  test.each<[WriteState[], boolean]>([
    [['rejected'], true],
    [['sent'], false],
    [['done'], false],
    [['rejected', 'sent'], false],
  ])('of a message that was written as %j are uploaded again after a day: %s', async (states, isAgain) => {
    const calls = await callsOf([upload, send], [day], states);
    expect(calls).toEqual(isAgain ? ['messages.upload', ['messages.send', ['new 1']]] : [['messages.send', ['old 0']]]);
  });
});
