import { moderationOf } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

// The case of the words that the service uses does not matter. Words that are read back: tests/reading-back/states.test.ts.

const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const message = { pack_id: '1', user_id: 7, to: { user_id: 31 }, text: 'Yes, there is.' };
const flex = { site_id: 'MLA', user_id: 7, service_id: 1001 };

type Row = readonly [string, (word: string) => Response, (client: SellerClient) => PromiseLike<unknown>, object];
const rows: readonly Row[] = [
  [
    'conversation_blocked',
    (error) => json({ error, message: 'no' }, 403),
    (client) => client.messages.send(message),
    { name: 'ConversationBlockedError', status: 403 },
  ],
  [
    'blocked_by_excepted_case',
    (cause) => json({ error: 'bad_request', cause }, 400),
    (client) => client.actionGuide.options({ pack_id: 1 }),
    { name: 'ExceptedCaseError' },
  ],
  [
    'not_found',
    (error) => json({ error, message: 'no' }, 404),
    (client) => client.questions.responseTime({ user_id: 7 }),
    { name: 'NoQuestionsError' },
  ],
  [
    'forbidden',
    (code) => json({ errors: [{ message: 'no', extensions: { code } }] }),
    (client) => client.flex.configuration(flex),
    { name: 'ForbiddenError', status: 403 },
  ],
  [
    'not_unanswered_question',
    (error) => json({ error, message: 'no' }, 400),
    (client) => client.questions.answer({ question_id: 42, text: 'Yes' }),
    { name: 'QuestionNotOpenError' },
  ],
];

const cases = rows.flatMap(([word, ...row]) => [word, word.toUpperCase()].map((each) => [each, ...row] as const));

test.each(cases)('the error %s is documented', async (word, respond, call, expected) => {
  expect(await errorOf(call(stubbed([respond(word)]).sellerClient))).toMatchObject(expected);
});

test.each(['blocked_by_payment', 'BLOCKED_BY_PAYMENT'])('the reason %s is told as it came', async (cause) => {
  const { sellerClient } = stubbed([json({ error: 'conversation_blocked', cause }, 403)]);
  expect(await errorOf(sellerClient.messages.send(message))).toMatchObject({ reason: cause });
});

test.each(['moderated', 'MODERATED', 'Moderated'])('a message that is %s is moderated', (status) => {
  expect(moderationOf({ id: '1', status })).toBe('rejected');
});

test.each(['active', 'ACTIVE', 'Active'])('an item that is %s can be enabled for Flex', async (status) => {
  const { sellerClient, sent } = stubbed([
    json([{ code: 200, body: { status } }]),
    new Response(null, { status: 204 }),
  ]);
  await sellerClient.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1', requireActive: true });
  expect(sent.at(-1)?.method).toBe('POST');
});
