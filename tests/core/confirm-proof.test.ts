import type { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

const text = 'Your parcel leaves today, <see> the label 👍';
const input = { pack_id: '2000000012345678', user_id: 7, to: { user_id: 31 }, text };
const send = (client: SellerClient): PromiseLike<unknown> => client.messages.send(input);
const buyerToken = 'APP_USR-500-000001-31';
const ask = (client: SellerClient): PromiseLike<unknown> =>
  client.questions.ask({ item_id: 'MLA1', text: 'Does it come in red?' });

const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const message = (more: object): object => ({
  id: 'm-1',
  from: { user_id: 7 },
  text,
  // After the moment of sending, whenever that is.
  message_date: { created: at(60) },
  ...more,
});
const dated = (created: string | null): object => ({ message_date: { created } });
const page = (messages: object[], paging?: object): Response => Response.json({ messages, ...(paging && { paging }) });
const whole = (...messages: object[]): Response => page(messages, { total: messages.length, limit: 50, offset: 0 });

/** A write whose response is lost, and what is read back after it. */
async function confirmed(
  write: (client: SellerClient) => PromiseLike<unknown>,
  ...pages: Response[]
): Promise<unknown> {
  const { sellerClient } = stubbed([networkFault('ECONNRESET'), ...pages], {
    accessToken: buyerToken,
    confirmWindowMs: 0,
    maxRetries: 0,
  });
  return (await errorOf<OutcomeUnknownError>(write(sellerClient))).confirm();
}

const done = { done: true };
const notDone = { done: false };
const unknown = { unknown: expect.any(String) as string };

describe('a message is confirmed or denied only on proof', () => {
  test.each<readonly [string, object, Response[]]>([
    ['the same text, new', done, [whole(message({}))]],
    ['older messages only', notDone, [whole(message(dated(at(-3600))), message({ ...dated(at(-7200)), id: 'm-2' }))]],
    ['an empty conversation', notDone, [page([])]],
    ['messages of the buyer only', notDone, [whole(message({ from: { user_id: 31 }, text: 'Thanks!' }))]],
    ['a new message of the seller with another text', unknown, [whole(message({ text: 'Gracias por su compra' }))]],
    [
      'a message of the seller with another text, of some seconds before',
      notDone,
      [whole(message({ ...dated(at(-20)), text: 'Gracias por su compra' }))],
    ],
    ['the text cut within its first word', unknown, [whole(message({ text: text.slice(0, 3) }))]],
    ['a date without a time', unknown, [whole(message(dated(at(0).slice(0, 10))))]],
    ['the text escaped', unknown, [whole(message({ text: text.replace('<', '&lt;').replace('>', '&gt;') }))]],
    ['the text masked', unknown, [whole(message({ text: 'Your ****** leaves *****, <see> the label' }))]],
    ['the text masked as a whole', unknown, [whole(message({ text: '*****' }))]],
    ['the text stripped of its emoji', unknown, [whole(message({ text: text.replace('👍', '') }))]],
    ['the text cut', unknown, [whole(message({ text: text.slice(0, 20) }))]],
    ['a text that is not shown', unknown, [whole(message({ text: '' }))]],
    ['a date without a zone', unknown, [whole(message(dated(at(0).replace('Z', ''))))]],
    ['a date cut to the minute', unknown, [whole(message(dated(`${at(-2).slice(0, 16)}Z`)))]],
    ['a clock that is some seconds behind', unknown, [whole(message(dated(at(-20))))]],
    ['no date', unknown, [whole(message(dated(null)))]],
    ['the same text with another file', unknown, [whole(message({ message_attachments: [{ filename: 'a.pdf' }] }))]],
    ['two equal ones', unknown, [whole(message({}), message({ id: 'm-2' }))]],
    [
      'a page that may be capped, without a total',
      unknown,
      [page([message(dated(at(-3600)))]), page([message(dated(at(-3500)))])],
    ],
    ['all pages, without a total', notDone, [page([message(dated(at(-3600)))]), page([])]],
    [
      'a page that is shorter than the total says',
      unknown,
      [page([message(dated(at(-3600)))], { total: 90 }), page([], { total: 90 })],
    ],
    ['a legacy shape', unknown, [whole({ id: 'm-1', text: { plain: 5 } })]],
  ])('%s', async (_, expected, pages) => {
    expect(await confirmed(send, ...pages)).toMatchObject(expected);
  });

  test('shapes are read even where the client does not validate responses', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json({ messages: 'none' })], {
      responseValidation: 'off',
      confirmWindowMs: 0,
      maxRetries: 0,
    });
    expect(await (await errorOf<OutcomeUnknownError>(send(sellerClient))).confirm()).toMatchObject(unknown);
  });

  test('of two equal messages sent at once, one entry confirms neither', async () => {
    const { sellerClient } = stubbed(
      [networkFault('ECONNRESET'), networkFault('ECONNRESET'), () => whole(message({}))],
      { confirmWindowMs: 0, maxRetries: 0 },
    );
    const errors = await Promise.all([1, 2].map(() => errorOf<OutcomeUnknownError>(send(sellerClient))));
    for (const error of errors) expect(await error.confirm()).toMatchObject(unknown);
  });

  test('the input is the one that was sent, also where the caller has used its object again', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), whole(message({}))], {
      confirmWindowMs: 0,
      maxRetries: 0,
    });
    const reused = { ...input, to: { user_id: 31 }, attachments: [] as string[] };
    const call = sellerClient.messages.send(reused);
    reused.text = 'Another text';
    reused.attachments.push('b.pdf');
    expect(await (await errorOf<OutcomeUnknownError>(call)).confirm()).toMatchObject(done);
  });
});

describe('a question is confirmed only where it is known to be of this user', () => {
  const question = (id: number, from: object | undefined, date = at(60)): object => ({
    id,
    text: 'Does it come in red?',
    date_created: date,
    from,
  });
  const found = (...questions: object[]): Response => Response.json({ total: questions.length, questions });

  test.each<readonly [string, object, Response]>([
    ['of the user of the token', done, found(question(1, { id: 31 }))],
    ['of another user', notDone, found(question(1, { id: 99 }))],
    ['of a user who is not shown', unknown, found(question(1, undefined))],
    ['of an hour ago', notDone, found(question(1, { id: 31 }, at(-3600)))],
  ])('an equal question %s', async (_, expected, response) => {
    expect(await confirmed(ask, response)).toMatchObject(expected);
  });
});

test('after a timeout nothing is sent again before the service had as long again', async () => {
  const sentAt: number[] = [];
  const { sellerClient } = stubbed(
    [
      (request) => {
        if (request.method === 'GET') return page([]);
        sentAt.push(performance.now());
        if (sentAt.length > 1) return Response.json({ id: 'm-1' });
        return new Promise<Response>(() => undefined);
      },
    ],
    { onUnknownOutcome: 'confirm', timeoutMs: 300, confirmWindowMs: 0 },
  );
  await sellerClient.messages.send(input);
  expect(sentAt[1]! - sentAt[0]!).toBeGreaterThanOrEqual(590);
});
