import {
  AuthenticationError,
  ForbiddenError,
  InvalidInputError,
  InvalidPostBodyError,
  InvalidQuestionError,
  ItemNotActiveError,
  NoQuestionsError,
  NotFoundError,
  QuestionNotOpenError,
  askerId,
  hasStatus,
  isAnswerable,
} from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Question, QuestionSearchParams, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Account, Item } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { goldenRequests, jsonBody } from '../support/golden-requests.ts';

let marketplace: FakeMarketplace;
let seller: Account;
let buyer: Account;
let item: Item;
/** The seller's client, the buyer's, and one without a token. */
let sellerClient: SellerClient;
let buyerClient: SellerClient;
let anonymousClient: SellerClient;

beforeEach(() => {
  marketplace = new FakeMarketplace({ now: '2026-03-02T15:00:00Z' });
  seller = marketplace.addUser({ nickname: 'SELLER' });
  buyer = marketplace.addUser({ nickname: 'BUYER' });
  item = marketplace.addItem({ seller_id: seller.user_id, title: 'Desk lamp' });
  sellerClient = marketplace.clientFor(seller);
  buyerClient = marketplace.clientFor(buyer);
  anonymousClient = buyerClient.withOptions({ accessToken: undefined });
});

function asked(text = 'Is there stock?', from = buyer): number {
  return marketplace.ask({ from, item_id: item.item_id, text }).id;
}

async function idsOf(input: QuestionSearchParams): Promise<number[]> {
  return (await sellerClient.questions.search(input).toArray()).map(({ id }) => id);
}

describe('asking a question', () => {
  test('a question reaches the seller of the item, unanswered', async () => {
    const question = await buyerClient.questions.ask({ item_id: item.item_id, text: 'Ships to Córdoba? 📦' });
    expect(question).toMatchObject({
      seller_id: seller.user_id,
      item_id: item.item_id,
      text: 'Ships to Córdoba? 📦',
      status: 'UNANSWERED',
      date_created: '2026-03-02T12:00:00.000-03:00',
      from: { id: buyer.user_id, answered_questions: 0 },
      answer: null,
    });
    expect(question).not.toHaveProperty('hold');
    expect(await sellerClient.questions.get({ question_id: question!.id })).toEqual({ ...question, hold: false });
  });

  test('a blocked user cannot ask on any item of the seller until unblocked', async () => {
    const other = marketplace.addItem({ seller_id: seller.user_id });
    const blocking = { seller_id: seller.user_id, user_id: buyer.user_id };
    await sellerClient.questions.blacklist.add(blocking);
    for (const { item_id } of [item, other]) {
      await expect(buyerClient.questions.ask({ item_id, text: 'Hello?' })).rejects.toBeInstanceOf(ForbiddenError);
    }
    await sellerClient.questions.blacklist.remove(blocking);
    expect(await buyerClient.questions.ask({ item_id: item.item_id, text: 'Hello?' })).toMatchObject({
      text: 'Hello?',
    });
  });

  test('a block applies only to the seller that made it', async () => {
    const rival = marketplace.addUser();
    const theirs = marketplace.addItem({ seller_id: rival.user_id });
    await sellerClient.questions.blacklist.add({ seller_id: seller.user_id, user_id: buyer.user_id });
    expect(await buyerClient.questions.ask({ item_id: theirs.item_id, text: 'Hello?' })).toMatchObject({
      text: 'Hello?',
    });
  });

  test.each(['paused', 'closed', 'under_review'] as const)('an item that is %s takes no questions', async (status) => {
    marketplace.items.change(item.item_id, { status });
    await expect(buyerClient.questions.ask({ item_id: item.item_id, text: 'Hello?' })).rejects.toBeInstanceOf(
      ItemNotActiveError,
    );
  });

  test('asking needs a token, an existing item and another user than its seller', async () => {
    const question = { item_id: item.item_id, text: 'Hello?' };
    await expect(anonymousClient.questions.ask(question)).rejects.toBeInstanceOf(AuthenticationError);
    await expect(sellerClient.questions.ask(question)).rejects.toBeInstanceOf(ForbiddenError);
    await expect(buyerClient.questions.ask({ ...question, item_id: 'MLA0' })).rejects.toBeInstanceOf(NotFoundError);
  });

  test('a text has 1 to 2,000 characters, counted so that an emoji is one', async () => {
    const ask = (text: string) => buyerClient.questions.ask({ item_id: item.item_id, text });
    expect(await ask('📦'.repeat(2000))).toMatchObject({ status: 'UNANSWERED' });
    await expect(ask('x'.repeat(2001))).rejects.toThrow(
      'Not sent: `text` has 2001 characters; a question takes at most 2000',
    );
    await expect(ask(' \n')).rejects.toThrow('`text` is blank');
    await expect(ask('\ud83d')).rejects.toThrow('half a surrogate pair');
  });
});

describe('answering a question', () => {
  test('answering returns the whole question', async () => {
    const question_id = asked();
    marketplace.clock.advance({ minutes: 12 });
    const answered = await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    expect(answered).toEqual(await sellerClient.questions.get({ question_id }));
    expect(answered).toMatchObject({
      id: question_id,
      status: 'ANSWERED',
      from: { answered_questions: 1 },
      answer: { text: 'Yes.', status: 'ACTIVE', date_created: '2026-03-02T12:12:00.000-03:00' },
    });
  });

  test('a question takes one answer', async () => {
    const question_id = asked();
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    const second = sellerClient.questions.answer({ question_id, text: 'No.' });
    await expect(second).rejects.toBeInstanceOf(QuestionNotOpenError);
    await expect(second).rejects.toMatchObject({ status: 400, code: 'not_unanswered_question' });
    expect(await sellerClient.questions.get({ question_id })).toMatchObject({ answer: { text: 'Yes.' } });
  });

  test('only the seller who received it answers', async () => {
    const question_id = asked();
    const rival = marketplace.clientFor(marketplace.addUser());
    await expect(rival.questions.answer({ question_id, text: 'Mine!' })).rejects.toBeInstanceOf(ForbiddenError);
    await expect(buyerClient.questions.answer({ question_id, text: 'Mine!' })).rejects.toBeInstanceOf(ForbiddenError);
    await expect(anonymousClient.questions.answer({ question_id, text: 'Mine!' })).rejects.toBeInstanceOf(
      AuthenticationError,
    );
  });

  test('answering a question that does not exist is an InvalidQuestionError', async () => {
    const answer = sellerClient.questions.answer({ question_id: 1, text: 'Yes.' });
    await expect(answer).rejects.toBeInstanceOf(InvalidQuestionError);
    await expect(answer).rejects.toThrow('POST /answers failed with 400 (invalid_question): Question 1 does not exist');
  });
});

describe('the state of a question', () => {
  test.each([
    ['closed', 'CLOSED_UNANSWERED', QuestionNotOpenError],
    ['paused', 'UNANSWERED', ItemNotActiveError],
    ['under_review', 'UNDER_REVIEW', QuestionNotOpenError],
  ] as const)(
    'of an item that is %s it is %s, and takes no answer until the item is active',
    async (status, shown, error) => {
      const question_id = asked();
      marketplace.items.change(item.item_id, { status });
      const hold = status === 'under_review';
      expect(await sellerClient.questions.get({ question_id })).toMatchObject({ status: shown, hold });
      const answer = () => sellerClient.questions.answer({ question_id, text: 'Yes.' });
      await expect(answer()).rejects.toBeInstanceOf(error);
      marketplace.items.change(item.item_id, { status: 'active' });
      expect(await answer()).toMatchObject({ status: 'ANSWERED', hold: false });
    },
  );

  test.each(['DELETED', 'BANNED'] as const)(
    'a question that is %s has no text, and is not found without a token',
    async (status) => {
      const question_id = asked();
      marketplace.questions.answer(question_id, 'Yes.');
      if (status === 'BANNED') marketplace.questions.ban(question_id);
      else marketplace.questions.delete(question_id);
      expect(await sellerClient.questions.get({ question_id })).toMatchObject({
        status,
        text: '',
        answer: { text: '' },
        deleted_from_listing: true,
      });
      await expect(sellerClient.questions.get({ question_id }, { accessToken: null })).rejects.toThrow(
        'GET /questions/{question_id} failed with 404 (not_found): Question not found',
      );
    },
  );

  test('a disabled answer shows its status', async () => {
    const question_id = asked();
    marketplace.questions.answer(question_id, 'Call me.');
    marketplace.questions.disableAnswer(question_id);
    expect(await sellerClient.questions.get({ question_id })).toMatchObject({
      status: 'ANSWERED',
      answer: { status: 'DISABLED' },
    });
  });
});

describe('reading a question', () => {
  test('a question is read without a token', async () => {
    const question_id = asked();
    expect(await sellerClient.questions.get({ question_id }, { accessToken: null })).toMatchObject({ id: question_id });
    expect(await anonymousClient.questions.get({ question_id: String(question_id) })).toMatchObject({
      id: question_id,
    });
  });

  test('attributes reduce a question to the requested fields', async () => {
    const question_id = asked();
    // @ts-expect-error -- a question has no such field, and no overload takes a name that is no field
    expect(await sellerClient.questions.get({ question_id }, { attributes: ['staus'] })).toEqual({});
    const reduced = await sellerClient.questions.get({ question_id }, { attributes: ['id', 'status'] });
    expect(reduced).toEqual({ id: question_id, status: 'UNANSWERED' });
    expectTypeOf(reduced).toEqualTypeOf<Pick<Question, 'id' | 'status'>>();
    // @ts-expect-error -- a field that was not asked for is not there
    expect(reduced.text).toBeUndefined();
  });

  test('an unknown or revoked token is an AuthenticationError', async () => {
    const accessToken = marketplace.tokenFor(seller);
    marketplace.accounts.revokeToken(accessToken);
    for (const token of [accessToken, 'APP_USR-never']) {
      const call = sellerClient.questions.get({ question_id: 1 }, { accessToken: token });
      await expect(call).rejects.toBeInstanceOf(AuthenticationError);
      await expect(call).rejects.toMatchObject({ code: 'invalid_token' });
    }
  });

  test('an unknown status is delivered as it came', () => {
    const status: Question['status'] = 'ARCHIVED';
    expectTypeOf<'ANSWERED'>().toExtend<NonNullable<Question['status']>>();
    expectTypeOf(status).toBeString();
  });
});

describe('searching questions', () => {
  test('a search finds the questions of a seller, of an item, or of one user on an item', async () => {
    const other = marketplace.addUser();
    const second = marketplace.addItem({ seller_id: seller.user_id });
    const [a, b] = [asked('a'), asked('b', other)];
    const c = marketplace.ask({ from: buyer, item_id: second.item_id, text: 'c' }).id;
    const foreign = marketplace.addItem({ seller_id: marketplace.addUser().user_id });
    marketplace.ask({ from: buyer, item_id: foreign.item_id, text: 'not theirs' });

    expect(await idsOf({ seller_id: seller.user_id })).toEqual([c, b, a]);
    expect(await idsOf({ seller_id: String(seller.user_id) })).toEqual([c, b, a]);
    expect(await idsOf({ item: item.item_id })).toEqual([b, a]);
    expect(await idsOf({ item_id: item.item_id })).toEqual([b, a]);
    expect(await idsOf({ item: item.item_id, from: other.user_id })).toEqual([b]);
  });

  test('a search takes exactly one of its criteria', async () => {
    const send = vi.fn(marketplace.fetch);
    const client = sellerClient.withOptions({ fetch: send });
    const { user_id } = seller;
    // @ts-expect-error -- no way at all
    await expect(client.questions.search({}).first()).rejects.toBeInstanceOf(InvalidInputError);
    // @ts-expect-error -- two ways
    await expect(client.questions.search({ seller_id: 1, item: 'MLA1' }).first()).rejects.toThrow('exactly one of');
    // @ts-expect-error -- both spellings
    await expect(client.questions.search({ item: 'MLA1', item_id: 'MLA1' }).first()).rejects.toThrow('exactly one of');
    // @ts-expect-error -- `from` goes with an item
    await expect(client.questions.search({ seller_id: user_id, from: 1 }).first()).rejects.toThrow('`from` goes with');
    // @ts-expect-error -- `from` alone is no way
    await expect(client.questions.search({ from: 1 }).first()).rejects.toBeInstanceOf(InvalidInputError);
    expect(send).not.toHaveBeenCalled();
  });

  test('a search sorts by several fields, each in its own direction', async () => {
    const other = marketplace.addUser();
    const second = marketplace.addItem({ seller_id: seller.user_id });
    const ask = (from: Account, { item_id }: Item): number => {
      marketplace.clock.advance({ minutes: 1 });
      return marketplace.ask({ from, item_id, text: 'Hello?' }).id;
    };
    const [a, b, c, d] = [ask(buyer, item), ask(other, item), ask(buyer, second), ask(other, second)];
    const { user_id } = seller;
    expect(await idsOf({ seller_id: user_id, sort_fields: ['date_created'] })).toEqual([a, b, c, d]);
    expect(await idsOf({ seller_id: user_id, sort_fields: ['date_created'], sort_types: ['DESC'] })).toEqual([
      d,
      c,
      b,
      a,
    ]);
    expect(
      await idsOf({ seller_id: user_id, sort_fields: ['item_id', 'from_id'], sort_types: ['DESC', 'ASC'] }),
    ).toEqual([c, d, a, b]);
    expect(
      await idsOf({ seller_id: user_id, sort_fields: ['from_id', 'date_created'], sort_types: ['ASC', 'DESC'] }),
    ).toEqual([c, a, d, b]);
    expect(await idsOf({ seller_id: user_id, sort_fields: ['seller_id'], sort_types: ['DESC'] })).toEqual([d, c, b, a]);
  });

  test('an unknown sort field and a missing direction are rejected', async () => {
    const { user_id } = seller;
    await expect(
      // @ts-expect-error -- not a field to sort by
      sellerClient.questions.search({ seller_id: user_id, sort_fields: ['text'] }).first(),
    ).rejects.toThrow('`sort_fields.0` takes "item_id" or "seller_id" or "from_id" or "date_created"');
    await expect(
      sellerClient.questions
        .search({ seller_id: user_id, sort_fields: ['item_id'], sort_types: ['ASC', 'ASC'] })
        .first(),
    ).rejects.toThrow('one entry per entry of `sort_fields`');
    await expect(sellerClient.questions.search({ seller_id: user_id, sort_types: ['ASC'] }).first()).rejects.toThrow(
      'one entry per entry of `sort_fields`',
    );
  });

  test('a search filters by status, in any case, and by period', async () => {
    const old = asked('old');
    marketplace.clock.advance({ days: 2 });
    const recent = asked('recent');
    await sellerClient.questions.answer({ question_id: old, text: 'Yes.' });
    const seller_id = seller.user_id;
    expect(await idsOf({ seller_id, filters: { status: 'unanswered' } })).toEqual([recent]);
    expect(await idsOf({ seller_id, filters: { status: 'ANSWERED' } })).toEqual([old]);
    expect(await idsOf({ seller_id, filters: { status: ['ANSWERED', 'UNANSWERED'] } })).toEqual([recent, old]);
    expect(await idsOf({ seller_id, filters: { date_from: '2026-03-03T00:00:00Z' } })).toEqual([recent]);
    expect(await idsOf({ seller_id, filters: { date_to: '2026-03-03T00:00:00Z' } })).toEqual([old]);
    // A time without a time zone is in UTC, in whichever zone this machine is.
    const minute = { date_from: '2026-03-02T15:00:00', date_to: '2026-03-02T15:01' };
    expect(await idsOf({ seller_id, filters: minute })).toEqual([old]);
    expect(await idsOf({ seller_id, filters: { date_from: '2026-03-04T18:00:00+03:00' } })).toEqual([recent]);
    await expect(idsOf({ seller_id, filters: { date_from: 'yesterday' } })).rejects.toThrow(/date_from must be/);
    expect(await idsOf({ seller_id, filters: { api_version: 4 } })).toEqual([recent, old]);
  });

  test('a page has the filters and sorts of the response', async () => {
    asked();
    for await (const page of sellerClient.questions.search({ seller_id: seller.user_id }).pages()) {
      expect(page).toMatchObject({ offset: 0, limit: 50, total: 1, items: [{ text: 'Is there stock?' }] });
      expect(page.available_sorts).toEqual(['item_id', 'seller_id', 'from_id', 'date_created']);
      expect(page.available_filters).toMatchObject(
        ['item', 'from', 'totalDivisions', 'division', 'status', 'date_from', 'date_to'].map((id) => ({ id })),
      );
    }
    const first = await sellerClient.questions.search({ seller_id: seller.user_id }).first();
    expect(first).toMatchObject({ hold: false, tags: [] });
    expectTypeOf(first).toEqualTypeOf<Question | undefined>();
  });

  test('a search needs a token', async () => {
    await expect(anonymousClient.questions.search({ item: item.item_id }).first()).rejects.toBeInstanceOf(
      AuthenticationError,
    );
  });
});

describe('paginating a long list', () => {
  beforeEach(() => {
    for (let each = 0; each < 120; each += 1) asked(`Question ${each}`);
  });

  test('a page holds 50 questions by default and at most 100', async () => {
    const search = { seller_id: seller.user_id };
    const read = (input: object) => sellerClient.call(endpoints.questions.search, { ...search, ...input });
    expect((await read({})).questions).toHaveLength(50);
    expect((await read({ limit: 10, offset: 115 })).questions).toHaveLength(5);
    expect(await read({ limit: 400 })).toMatchObject({ total: 120, limit: 100 });
  });

  test('a loop that answers each question sees every question once', async () => {
    const open = { seller_id: seller.user_id, filters: { status: 'UNANSWERED' } };
    const met: number[] = [];
    for await (const { id } of sellerClient.questions.search(open)) {
      met.push(id);
      await sellerClient.questions.answer({ question_id: id, text: 'Yes.' });
    }
    expect(met).toHaveLength(120);
    expect(new Set(met).size).toBe(120);
    expect(await idsOf(open)).toEqual([]);
  });
});

describe('deleting and hiding', () => {
  test('deleting a question returns a list of one sentence', async () => {
    const question_id = asked();
    expect(await sellerClient.questions.delete({ question_id })).toEqual([`Question ${question_id} was deleted`]);
    expect(await idsOf({ seller_id: seller.user_id })).toEqual([]);
    expect(await idsOf({ seller_id: seller.user_id, filters: { status: 'DELETED' } })).toEqual([question_id]);
    await expect(sellerClient.questions.delete({ question_id })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sellerClient.questions.hide({ question_id })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sellerClient.questions.answer({ question_id, text: 'Yes.' })).rejects.toBeInstanceOf(
      QuestionNotOpenError,
    );
  });

  test('only the seller can delete a question', async () => {
    const question_id = asked();
    await expect(buyerClient.questions.delete({ question_id })).rejects.toBeInstanceOf(ForbiddenError);
    await expect(anonymousClient.questions.delete({ question_id })).rejects.toBeInstanceOf(AuthenticationError);
    await expect(buyerClient.questions.hide({ question_id })).rejects.toBeInstanceOf(ForbiddenError);
    expect(await sellerClient.questions.get({ question_id })).toMatchObject({ status: 'UNANSWERED' });
  });

  test('a hidden question leaves the listing and keeps its state', async () => {
    const question_id = asked();
    await sellerClient.questions.hide({ question_id });
    expect(await idsOf({ seller_id: seller.user_id })).toEqual([]);
    expect(await sellerClient.questions.get({ question_id })).toMatchObject({
      status: 'UNANSWERED',
      text: 'Is there stock?',
      deleted_from_listing: true,
    });
  });
});

describe('the blacklist', () => {
  test('the blacklist shows who is blocked since when', async () => {
    const seller_id = seller.user_id;
    expect(await sellerClient.questions.blacklist.list({ seller_id }).toArray()).toEqual([]);
    await sellerClient.questions.blacklist.add({ seller_id, user_id: buyer.user_id });
    marketplace.clock.advance({ hours: 1 });
    await sellerClient.questions.blacklist.add({ seller_id, user_id: buyer.user_id });
    expect(await sellerClient.questions.blacklist.list({ seller_id }).toArray()).toEqual([
      { id: buyer.user_id, blocked_at: '2026-03-02T12:00:00.000-03:00' },
    ]);
  });

  test('only the seller can read and change the blacklist', async () => {
    const blocking = { seller_id: seller.user_id, user_id: buyer.user_id };
    const calls: ((client: SellerClient) => Promise<unknown>)[] = [
      (client) => client.questions.blacklist.add(blocking),
      (client) => client.questions.blacklist.list({ seller_id: seller.user_id }).toArray(),
      (client) => client.questions.blacklist.remove(blocking),
    ];
    for (const call of calls) {
      await expect(call(buyerClient)).rejects.toBeInstanceOf(ForbiddenError);
      await expect(call(anonymousClient)).rejects.toBeInstanceOf(AuthenticationError);
    }
  });

  test('an unknown user and a user who is not blocked are a NotFoundError', async () => {
    const seller_id = seller.user_id;
    await expect(sellerClient.questions.blacklist.add({ seller_id, user_id: 9 })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sellerClient.questions.blacklist.remove({ seller_id, user_id: buyer.user_id })).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });
});

describe('the response time', () => {
  test('the response time of a seller without questions is a NoQuestionsError', async () => {
    const call = sellerClient.questions.responseTime({ user_id: seller.user_id });
    await expect(call).rejects.toBeInstanceOf(NoQuestionsError);
    await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test('the response time is the average time until an answer, refreshed once a day', async () => {
    const question_id = asked();
    marketplace.clock.advance({ minutes: 90 });
    await sellerClient.questions.answer({ question_id, text: 'Yes.' });
    const { user_id } = seller;
    const before = await buyerClient.questions.responseTime({ user_id });
    expect(before).toEqual({
      user_id,
      total: { response_time: 90 },
      weekend: null,
      weekdays_working_hours: { response_time: 90, sales_percent_increase: 3 },
      weekdays_extra_hours: null,
    });

    marketplace.questions.answer(asked('Quick one?', marketplace.addUser()), 'Yes.');
    expect(await buyerClient.questions.responseTime({ user_id })).toEqual(before);
    marketplace.clock.advance({ days: 1 });
    const reduced = await buyerClient.questions.responseTime({ user_id }, { attributes: ['total'] });
    expect(reduced).toEqual({ total: { response_time: 45 } });
    await expect(anonymousClient.questions.responseTime({ user_id })).rejects.toBeInstanceOf(AuthenticationError);
  });
});

describe('a request that the service would reject', () => {
  test("the fake's error for an invalid answer reaches a caller as its class", async () => {
    const raw = sellerClient.withOptions({
      middleware: [({ request }, next) => next(new Request(request, { body: '{' }))],
    });
    await expect(raw.questions.answer({ question_id: 1, text: 'Yes.' })).rejects.toBeInstanceOf(InvalidPostBodyError);
  });

  test('a limit of 0 is not sent', async () => {
    await expect(sellerClient.questions.search({ seller_id: 1, limit: 0 }).first()).rejects.toThrow(
      'Not sent: `limit` is at least 1',
    );
  });
});

test('every change of a question emits an event', async () => {
  const events: unknown[] = [];
  const stop = marketplace.events.on((event) => events.push(event));
  const question = await buyerClient.questions.ask({ item_id: item.item_id, text: 'Hello?' });
  await sellerClient.questions.answer({ question_id: question!.id, text: 'Yes.' });
  await sellerClient.questions.delete({ question_id: question!.id });
  const event = { topic: 'questions', resource: `/questions/${question!.id}`, user_id: seller.user_id };
  expect(events).toEqual([event, event, event]);
  stop();
  asked();
  expect(events).toHaveLength(3);
});

goldenRequests<typeof endpoints.questions>({
  search: {
    call: (client) =>
      client.questions
        .search({
          seller_id: 7,
          sort_fields: ['date_created', 'item_id'],
          sort_types: ['DESC', 'ASC'],
          limit: 20,
          offset: 40,
          filters: { status: 'UNANSWERED' },
        })
        .first(),
    request: [
      'GET /questions/search?seller_id=7&sort_fields=date_created%2Citem_id&sort_types=DESC%2CASC&limit=20&offset=40&status=UNANSWERED',
    ],
  },
  get: { call: (client) => client.questions.get({ question_id: 42 }), request: ['GET /questions/42'] },
  ask: {
    call: (client) => client.questions.ask({ item_id: 'MLA100', text: '¿Hay stock? 😀' }),
    request: ['POST /questions', jsonBody, '', '{"item_id":"MLA100","text":"¿Hay stock? 😀"}'],
  },
  answer: {
    call: (client) => client.questions.answer({ question_id: 42, text: 'Sí, hay.' }),
    request: ['POST /answers', jsonBody, '', '{"question_id":42,"text":"Sí, hay."}'],
  },
  delete: { call: (client) => client.questions.delete({ question_id: 42 }), request: ['DELETE /questions/42'] },
  hide: {
    call: (client) => client.questions.hide({ question_id: 42 }),
    request: ['POST /my/questions/hidden', jsonBody, '', '{"question_id":42}'],
  },
  responseTime: {
    call: (client) => client.questions.responseTime({ user_id: 7 }),
    request: ['GET /users/7/questions/response_time'],
  },
  blacklist: {
    add: {
      call: (client) => client.questions.blacklist.add({ seller_id: 7, user_id: 31 }),
      request: ['POST /users/7/questions_blacklist', jsonBody, '', '{"user_id":31}'],
    },
    list: {
      call: (client) => client.questions.blacklist.list({ seller_id: 7 }).toArray(),
      request: ['GET /users/7/questions_blacklist'],
    },
    remove: {
      call: (client) => client.questions.blacklist.remove({ seller_id: 7, user_id: 31 }),
      request: ['DELETE /users/7/questions_blacklist/31'],
    },
  },
});

test('the status of a question is compared without case, and its asker is found in both places', () => {
  expect(hasStatus({ status: 'unanswered' }, 'UNANSWERED')).toBe(true);
  expect(hasStatus({ status: 'ANSWERED' }, 'UNANSWERED')).toBe(false);
  expect(hasStatus({}, 'UNANSWERED')).toBe(false);
  expect(askerId({ from: { id: 31 } })).toBe(31);
  expect(askerId({ buyer_id: 32 })).toBe(32);
  expect(askerId({ from: null, buyer_id: null })).toBeUndefined();
});

test.each<[Partial<Question>, boolean]>([
  [{}, true],
  [{ status: 'UNANSWERED', hold: false, deleted_from_listing: false }, true],
  [{ status: 'unanswered', hold: null, deleted_from_listing: null }, true],
  [{ status: null }, true],
  [{ hold: true }, false],
  [{ deleted_from_listing: true }, false],
  [{ status: 'UNANSWERED', hold: true }, false],
  [{ status: 'UNANSWERED', deleted_from_listing: true }, false],
  ...['ANSWERED', 'answered', 'CLOSED_UNANSWERED', 'UNDER_REVIEW', 'DELETED', 'BANNED', 'ON_THE_MOON', ''].map(
    (status): [Partial<Question>, boolean] => [{ status }, false],
  ),
])('whether a question takes an answer: %j', (question, expected) => {
  expect(isAnswerable(question)).toBe(expected);
});
