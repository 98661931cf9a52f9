import type { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';

const done = { done: true };
const notDone = { done: false };
const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const [before, since] = [at(-3600), at(60)];

/** What confirm() finds for a write whose response was lost, and the requests with which it read. */
async function readBack(
  write: (client: SellerClient) => PromiseLike<unknown>,
  ...responses: object[]
): Promise<{ found: unknown; reads: URL[] }> {
  const steps = responses.map((body) => Response.json(body));
  const { sellerClient, sent } = stubbed([networkFault('ECONNRESET'), ...steps], {
    accessToken: 'APP_USR-500-000001-31',
    maxRetries: 0,
  });
  const found: unknown = await (
    await errorOf<OutcomeUnknownError>(write(sellerClient))
  ).confirm({
    confirmWindowMs: 0,
  });
  return { found, reads: sent.slice(1).map(({ url }) => new URL(url)) };
}

const ofAnother = (field: string): object => ({
  unknown: expect.stringMatching(`^reading back failed: .*, not the \`${field}\` of the call`) as string,
});
const list = <T>(length: number, entry: T): T[] => Array.from({ length }, () => entry);

describe('a message that may have been sent', () => {
  const text = 'It leaves today.';
  const sending = { pack_id: '900', user_id: 7, to: { user_id: 31 }, text };
  const send = (client: SellerClient): PromiseLike<unknown> => client.messages.send(sending);
  const sendFiles = (client: SellerClient): PromiseLike<unknown> =>
    client.messages.send({ ...sending, attachments: ['a.pdf', 'b.pdf'] });
  const message = { id: 'm-1', from: { user_id: 7 }, text, message_date: { created: since } };
  const whole = (...messages: object[]): object => ({ messages, paging: { total: messages.length } });
  const files = (...names: string[]): object => ({ message_attachments: names.map((filename) => ({ filename })) });

  test('is looked for at both ends of its conversation, which stays unread', async () => {
    const first = { messages: list(50, { id: 'b', from: { user_id: 31 }, text: 'Hello' }), paging: { total: 120 } };
    const { reads } = await readBack(send, first, { messages: [], paging: { total: 120 } });
    expect(reads.map(({ pathname }) => pathname)).toEqual(Array(2).fill('/messages/packs/900/sellers/7'));
    const common = { limit: '50', mark_as_read: 'false', tag: 'post_sale' };
    expect(reads.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
      common,
      { ...common, offset: '110' },
    ]);
  });

  const resources = (id: string, name: string): object => ({ message_resources: [{ id, name }] });
  test.each<[string, object, object]>([
    ['of its pack', resources('900', 'packs'), done],
    ['of an order that has got a pack since', resources('901', 'packs'), done],
    ['of its seller', resources('7', 'sellers'), done],
    ['that names another resource', resources('8', 'shipments'), done],
    ['that names no resources', { message_resources: null }, done],
  ])('is compared whatever related resources are named: one %s', async (_, named, expected) => {
    expect((await readBack(send, whole({ ...message, ...named }))).found).toMatchObject(expected);
  });

  const incomplete = { unknown: 'the service does not show the list up to its newest entry' };
  test.each<[string, readonly object[], object]>([
    ['without messages', [], notDone],
    ['whose messages name no pack', [{}, resources('900', 'orders')], notDone],
    ['whose messages name its pack', [resources('900', 'packs')], notDone],
    ['whose messages name its pack or an order', [resources('901', 'packs'), resources('900', 'packs')], notDone],
    ['whose messages name only another pack', [resources('901', 'packs'), {}], incomplete],
  ])('is denied by its conversation alone: one %s', async (_, named, expected) => {
    const earlier = { from: { user_id: 31 }, text: 'Hello', message_date: { created: before } };
    const messages = named.map((more, index) => ({ id: `m-${index}`, ...earlier, ...more }));
    expect((await readBack(send, whole(...messages))).found).toEqual(expected);
  });

  test.each([{ from: undefined }, { from: null }])('may be one whose sender is not shown: %j', async (from) => {
    expect((await readBack(send, whole({ ...message, ...from }))).found).toMatchObject(done);
  });

  test.each([undefined, null, {}])('is not proved by one without a date: %j', async (message_date) => {
    const looksLikeIt = { unknown: '1 entry looks like the one that was written' };
    expect((await readBack(send, whole({ ...message, message_date }))).found).toEqual(looksLikeIt);
  });

  test('is proved by the date of its arrival, if that of its creation is not shown', async () => {
    const arrived = { ...message, message_date: { received: since } };
    expect((await readBack(send, whole(arrived))).found).toMatchObject(done);
  });

  const similar = { unknown: 'there is a similar entry, and the service may have changed the text' };
  const another = { unknown: 'there is another entry since, and the service may have changed the text' };
  test.each<[string, object, object]>([
    ['its files', files('a.pdf', 'b.pdf'), done],
    ['its files in another order', files('b.pdf', 'a.pdf'), done],
    ['one of its files', files('a.pdf'), similar],
    ['another file', files('a.pdf', 'c.pdf'), similar],
    ['one more file', files('a.pdf', 'b.pdf', 'c.pdf'), similar],
    ['no file', {}, similar],
    ['its files and another text', { ...files('a.pdf', 'b.pdf'), text: 'Gracias por su compra' }, another],
    ['another file and another text', { ...files('c.pdf'), text: 'Gracias por su compra' }, another],
  ])('has its text and its files: one with %s', async (_, content, expected) => {
    expect((await readBack(sendFiles, whole({ ...message, ...content }))).found).toMatchObject(expected);
  });

  test('is not denied by a response without a list', async () => {
    const noList = { unknown: 'reading back failed: the response shows no list' };
    expect((await readBack(send, { messages: null, paging: { total: 0 } })).found).toEqual(noList);
  });
});

describe('a question that may have been asked', () => {
  const text = 'Does it come in red?';
  const ask = (client: SellerClient): PromiseLike<unknown> => client.questions.ask({ item_id: 'MLA1', text });
  const asked = { id: 5, text, item_id: 'MLA1', from: { id: 31 }, date_created: since };
  const whole = (...questions: object[]): object => ({ questions, total: questions.length });

  test('is looked for at both ends of the questions about its item', async () => {
    const first = { questions: list(50, { id: 1, text: 'Hello', from: { id: 99 } }), total: 120 };
    const { reads } = await readBack(ask, first, { questions: [], total: 120 });
    expect(reads.map(({ searchParams }) => searchParams.get('item'))).toEqual(['MLA1', 'MLA1']);
    expect(reads.map(({ searchParams }) => searchParams.get('offset'))).toEqual([null, '70']);
  });

  test.each<[string, object, object]>([
    ['of its item', {}, done],
    ['of an item that is not named', { item_id: null }, done],
    ['of another item', { item_id: 'MLA2' }, { unknown: 'the service does not show the list up to its newest entry' }],
  ])('is compared only with questions about the same item: one %s', async (_, more, expected) => {
    expect((await readBack(ask, whole({ ...asked, ...more }))).found).toMatchObject(expected);
  });

  test.each([{ from: undefined }, { from: null }])('may be one whose asker is not shown: %j', async (from) => {
    expect((await readBack(ask, whole({ ...asked, ...from }))).found).toEqual({
      unknown: 'there is such a question since, and it may be of another user',
    });
  });

  test('is not denied by a response without a list', async () => {
    const noList = { unknown: 'reading back failed: the response shows no list' };
    expect((await readBack(ask, { questions: null, total: 0 })).found).toEqual(noList);
  });
});

describe('an answer that may have been given', () => {
  const text = 'Yes, there is one left.';
  const answer = (client: SellerClient): PromiseLike<unknown> => client.questions.answer({ question_id: 42, text });
  const unclear = { unknown: 'the question has another answer, or this one with its text changed' };
  const [same, cut, other] = [text, 'Yes, there', 'Gracias por su compra'];

  test.each<[string, object, object]>([
    ['the same', { text: same, date_created: before }, done],
    ['a similar one since', { text: cut, date_created: since }, unclear],
    ['a similar one without a date', { text: cut }, unclear],
    ['a similar one of an hour ago', { text: cut, date_created: before }, notDone],
    ['another one since', { text: other, date_created: since }, unclear],
    ['another one without a date', { text: other }, unclear],
    ['another one of an hour ago', { text: other, date_created: before }, notDone],
    [
      'another one of ten minutes ago, which moderation may have rewritten',
      { text: other, date_created: at(-600) },
      unclear,
    ],
    ['a similar one of some seconds ago', { text: cut, date_created: at(-20) }, unclear],
  ])('is told from the answer that the question has: %s', async (_, given, expected) => {
    const { found } = await readBack(answer, { ...wireQuestion, status: 'ANSWERED', answer: given });
    expect(found).toMatchObject(expected);
  });

  test('is not looked for in another question', async () => {
    expect((await readBack(answer, { ...wireQuestion, id: 43, answer: { text } })).found).toEqual(
      ofAnother('question_id'),
    );
  });
});

describe('a question that may have been deleted', () => {
  const remove = (client: SellerClient): PromiseLike<unknown> => client.questions.delete({ question_id: 42 });

  test.each<[object, object]>([
    [{ status: 'DELETED' }, { done: true, output: [] }],
    [{ status: 'UNANSWERED' }, notDone],
    [{ status: null }, { unknown: 'the question shows no status' }],
    [{ status: '' }, { unknown: 'the question shows no status' }],
    [{ id: 43, status: 'DELETED' }, ofAnother('question_id')],
  ])('is told from its status: %j', async (more, expected) => {
    expect((await readBack(remove, { ...wireQuestion, ...more })).found).toEqual(expected);
  });
});
