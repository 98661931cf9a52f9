import { SellerError } from 'marketplace-seller-sdk';
import type { SentMessage } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { followModeration, hasModeration } from '../../src/outbox/run-job.js';
import type { JobRun } from '../../src/outbox/run-job.js';
import { stoppedClocks } from '../support/fake-time.ts';

// How a job follows the moderation of its message: at the first look, at the second, and at the last.

stoppedClocks();

const pending: SentMessage = { id: 'm', status: 'available', message_moderation: { status: 'pending' } };
const clean: SentMessage = { ...pending, message_moderation: { status: 'clean' } };
const rejected: SentMessage = { ...pending, status: 'moderated', message_moderation: { status: 'rejected' } };
const minute = 60_000;
const day = 24 * 60 * minute;

/** A run that has followed its message for so long, or that has just sent it. */
function following(sent: SentMessage | undefined, ageMs?: number, client: object = {}) {
  const followedSince = ageMs === undefined ? undefined : Date.now() - ageMs;
  const write = (id: string, sentAt: number) => {
    return { id, target: 'messages.send 1', input: { text: id }, sentAt, state: 'sent' as const };
  };
  const notes = { writes: [write('first', 1), write('last', 2)], followedSince };
  const run = { notes, signal: new AbortController().signal } as unknown as JobRun['run'];
  const options = { keep: { keysMs: day } };
  const context = { options, known: new Map([['messages.send', endpoints.messages.send]]) };
  const followed = followModeration(sent, { run, client, context } as unknown as JobRun);
  return { run, followed, verdict: followed.then(({ verdict }) => verdict) };
}
const reading = (message: SentMessage) => ({ messages: { get: async () => message } });

test.each([
  ['messages.send', true],
  ['contact', true],
  ['actionGuide.send', true],
  ['messages.upload', false],
  ['questions.answer', false],
])('moderation decides about %s: %s', (endpoint, expected) => {
  expect(hasModeration({ endpoint, input: {} })).toBe(expected);
});

describe('a message that is pending is read again', () => {
  test.each([
    [0, 2_000],
    [4_000, 2_000],
    [4_002, 2_001],
    [10 * minute, 5 * minute],
    [10 * minute + 2, 5 * minute],
    [30 * minute, 5 * minute],
    [day - 5 * minute, 5 * minute],
    [day - 4 * minute, 4 * minute],
    [day - 1, 1],
  ])('after %i ms, in %i ms', async (ageMs, inMs) => {
    const { run, verdict } = following(pending, ageMs, reading(pending));
    expect(await verdict).toEqual({ state: 'open', inMs, failed: false, notes: run.notes });
  });

  test.each([day, day + 1])('after %i ms, by a person', async (ageMs) => {
    const { run, verdict } = following(pending, ageMs, reading(pending));
    // If it is sent again, its message is followed as long again.
    const { followedSince: _, ...notes } = run.notes;
    expect(await verdict).toMatchObject({ state: 'dead', failed: true, notes });
    expect((await verdict)?.notes).not.toHaveProperty('followedSince');
  });
});

test('the time counts from the first look', async () => {
  const { run, verdict } = following(pending);
  await verdict;
  const since = Date.now();
  expect(run.notes.followedSince).toBe(since);
  const later = following(pending, 3 * minute, reading(pending));
  await later.verdict;
  expect(later.run.notes.followedSince).toBe(since - 3 * minute);
});

test.each<[string, SentMessage, number | undefined, SentMessage, string | undefined]>([
  ['that was just sent is not read', clean, undefined, rejected, undefined],
  ['that was accepted since is accepted', pending, minute, clean, undefined],
  ['that was rejected since is rejected', pending, minute, rejected, 'rejected'],
])('a message %s', async (_, sent, ageMs, shown, state) => {
  expect((await following(sent, ageMs, reading(shown)).verdict)?.state).toBe(state);
});

test('a message that cannot be read now is read later, and another error is one', async () => {
  const failing = (error: Error) => ({ messages: { get: async () => Promise.reject(error) } });
  const sent = following(pending, minute, failing(new SellerError('down')));
  expect(await sent.verdict).toMatchObject({ state: 'open', failed: false });
  await expect(following(pending, minute, failing(new TypeError('a mistake'))).verdict).rejects.toThrow('a mistake');
});

test('a message whose response had no id is looked for by the last write of its step', async () => {
  const confirm = vi.fn(async () => ({ done: true, output: clean }));
  expect(await following(undefined, minute, { confirm }).followed).toEqual({ message: clean });
  expect(confirm.mock.calls).toMatchObject([[endpoints.messages.send, { text: 'last' }, { sentAt: 2 }]]);
});
