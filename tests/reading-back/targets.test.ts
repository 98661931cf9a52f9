import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { userOf, userOfToken } from '../../src/core/recover/token-source.js';
import { targetOf } from '../../src/core/recover/write-hook.js';

// Where a write goes to: to a place, of a user.

describe('two writes go to one place, and may be the same one with another content', () => {
  const { messages, actionGuide, questions } = endpoints;
  const message = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Hello' };
  const option = { pack_id: 1, option_id: 'OTHER', text: 'Hello' };
  test.each<[string, Parameters<typeof targetOf>[0], object, readonly object[], readonly object[]]>([
    [
      'messages.send',
      messages.send,
      message,
      [
        { text: 'Hi' },
        { attachments: ['a.pdf'] },
        { to: { user_id: 10 } },
        { from: { user_id: 7 } },
        { application_id: 5, client_id: 5 },
        { pack_id: '1', user_id: '7' },
      ],
      [{ pack_id: 2 }, { user_id: 8 }],
    ],
    [
      'actionGuide.send',
      actionGuide.send,
      option,
      [{ text: 'Hi' }, { template_id: 'a', vars: [] }],
      [{ option_id: 'X' }],
    ],
    ['questions.answer', questions.answer, { question_id: 1, text: 'Yes.' }, [{ text: 'No.' }], [{ question_id: 2 }]],
    ['questions.ask', questions.ask, { item_id: 'A', text: 'New?' }, [{ text: 'Red?' }], [{ item_id: 'B' }]],
    ['questions.blacklist.add', questions.blacklist.add, { seller_id: 7, user_id: 31 }, [{}], [{ user_id: 32 }]],
  ])('%s', (_, endpoint, input, same, other) => {
    const target = (change: object): string => targetOf(endpoint, { ...input, ...change }, 'APP_USR-1-7');
    for (const change of same) expect(target(change), JSON.stringify(change)).toBe(target({}));
    for (const change of other) expect(target(change), JSON.stringify(change)).not.toBe(target({}));
  });
});

test.each<[`/${string}`, object, string | undefined, string | undefined]>([
  ['/users/{seller_id}/questions_blacklist/{user_id}', { seller_id: 7, user_id: 31 }, undefined, '7'],
  ['/users/{seller_id}/questions_blacklist/{user_id}', { seller_id: '7', user_id: 31 }, undefined, '7'],
  ['/users/{user_id}', { user_id: 31 }, undefined, '31'],
  ['/users/{user_id}', { user_id: 31 }, 'APP_USR-1-8', '8'],
  ['/users/{user_id}', { user_id: 31 }, 'token', '31'],
  ['/users', { user_id: 31 }, undefined, undefined],
  ['/users/{user_id}', { user_id: null }, undefined, undefined],
])('the user of %s with %j and the token %s is %s', (path, given, token, user) => {
  expect(userOf({ path }, given, token)).toBe(user);
});

test.each([
  ['APP_USR-1-7', '7'],
  ['APP_USR-1-secret-7', '7'],
  ['APP_USR-1-', undefined],
  ['APP_USR--7', undefined],
  ['APP_USR-1-7x', undefined],
  ['app_usr-1-7', undefined],
  [`APP_USR-${'x'.repeat(200)}-7`, '7'],
  [`APP_USR-${'x'.repeat(201)}-7`, undefined],
  [`APP_USR-1-${'7'.repeat(20)}`, '7'.repeat(20)],
  [`APP_USR-1-${'7'.repeat(21)}`, undefined],
])('the user of the token %s is %s', (token, user) => {
  expect(userOfToken(token)).toBe(user);
});
