import { moderationOf, moderationReasonOf } from 'marketplace-seller-sdk';
import type { SentMessage } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';

// What moderation has decided, for each status of a message with each status of its moderation, and where one of them is none.

const statuses = ['available', 'AVAILABLE', undefined, null, 'translating', 'moderated', 'Moderated', 'rejected'];
/** The rows are those of `statuses`. The moderation is absent, `null`, without a status, clean, ... */
const decisions: readonly (readonly [moderation: object | null | undefined, ...expected: ('a' | 'p' | 'r')[]])[] = [
  [undefined, 'a', 'a', 'p', 'p', 'p', 'r', 'r', 'r'],
  [null, 'a', 'a', 'p', 'p', 'p', 'r', 'r', 'r'],
  [{}, 'p', 'p', 'p', 'p', 'p', 'r', 'r', 'r'],
  [{ status: null }, 'p', 'p', 'p', 'p', 'p', 'r', 'r', 'r'],
  [{ status: 'clean' }, 'a', 'a', 'a', 'a', 'p', 'r', 'r', 'r'],
  [{ status: 'CLEAN' }, 'a', 'a', 'a', 'a', 'p', 'r', 'r', 'r'],
  [{ status: 'non_moderated' }, 'a', 'a', 'a', 'a', 'p', 'r', 'r', 'r'],
  [{ status: 'pending' }, 'p', 'p', 'p', 'p', 'p', 'r', 'r', 'r'],
  [{ status: 'later' }, 'p', 'p', 'p', 'p', 'p', 'r', 'r', 'r'],
  [{ status: 'rejected' }, 'r', 'r', 'r', 'r', 'r', 'r', 'r', 'r'],
  [{ status: 'Rejected' }, 'r', 'r', 'r', 'r', 'r', 'r', 'r', 'r'],
  [{ status: 'moderated' }, 'r', 'r', 'r', 'r', 'r', 'r', 'r', 'r'],
];
const words = { a: 'accepted', p: 'pending', r: 'rejected' } as const;
const cases = decisions.flatMap(([moderation, ...expected]) =>
  statuses.map((status, index) => [status, moderation, words[expected[index]!]] as const),
);

describe('a message', () => {
  test.each(cases)('that is %j with the moderation %j is %s', (status, moderation, expected) => {
    const message = { id: 'm1', status, message_moderation: moderation } as SentMessage;
    expect(moderationOf(message)).toBe(expected);
    // The same in the legacy shape, in a list of one, and in an object around that.
    const { id: message_id, message_moderation: _, ...rest } = message;
    const legacy = { ...rest, message_id, ...(moderation !== undefined && { moderation }) } as unknown as SentMessage;
    for (const shape of [legacy, [message], { messages: [message] }])
      expect(moderationOf(shape as SentMessage)).toBe(expected);
  });

  test.each([
    [undefined, 'pending'],
    [null, 'pending'],
    [{}, 'pending'],
    [[], 'pending'],
    ['available', 'accepted'],
    ['Moderated', 'rejected'],
    ['OK', 'pending'],
  ])('that is %j as a whole is %s', (body, expected) => {
    expect(moderationOf(body as SentMessage | null | undefined)).toBe(expected);
  });

  test.each(cases)('that is %j with the moderation %j has a reason only if it is %s', (status, moderation, decided) => {
    const isRejected = decided === 'rejected';
    for (const [reason, told] of [
      ['PERSONAL_DATA', 'PERSONAL_DATA'],
      [null, undefined],
      [undefined, undefined],
    ]) {
      const message_moderation = moderation && { ...moderation, reason };
      const expected = isRejected && moderation ? told : undefined;
      expect(moderationReasonOf({ status, message_moderation })).toBe(expected);
    }
  });
});
