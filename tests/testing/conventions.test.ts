import { readJsonp } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Description, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { notActiveItem, userAskLimit } from '../../src/resources/questions/errors.js';

let marketplace: FakeMarketplace;
let client: SellerClient;
let token: string;
let question_id: number;

beforeEach(() => {
  marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  question_id = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Hello?' }).id;
  client = marketplace.clientFor(seller);
  token = marketplace.tokenFor(seller);
});

async function get(path: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await marketplace.fetch(`${marketplace.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...init,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('JSONP', () => {
  test('a JSONP response has status 200, with status, headers and body inside', async () => {
    const { status, text, headers } = await get(`/questions/${question_id}?callback=show`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).toMatch(/^show\(\[200,\{.*\}\]\);$/);
    expect(readJsonp(text)).toMatchObject({ id: question_id, text: 'Hello?' });
  });

  test('an invalid callback name is replaced', async () => {
    expect((await get(`/questions/${question_id}?callback=alert(1);x`)).text).toMatch(/^callback\(/);
  });
});

describe('OPTIONS', () => {
  test('OPTIONS describes a resource with its fields and methods', async () => {
    const description = await client.describe({ path: `/questions/${question_id}` });
    expectTypeOf(description).toEqualTypeOf<Description>();
    expect(description).toMatchObject({
      name: 'questions',
      description: 'Reads a question. Deletes a question that the seller received',
      attributes: {
        id: 'integer',
        date_created: 'timestamp, ISO 8601',
        hold: 'true or false',
        from: 'object of id, answered_questions',
      },
      methods: [
        { method: 'GET', example: 'GET /questions/{question_id}', description: 'Reads a question' },
        { method: 'DELETE', description: 'Deletes a question that the seller received' },
      ],
    });
    expect(description.attributes?.status).toMatch(/^one of UNANSWERED, ANSWERED/);
    expect(description.related_resources).toContain('/answers');
  });

  test('OPTIONS needs no token, prefers a fixed path to a parameter, and gives 404 for an unknown path', async () => {
    const anonymousClient = client.withOptions({ accessToken: undefined });
    expect(await anonymousClient.describe({ path: 'questions/search' })).toMatchObject({
      methods: [
        { example: 'GET /questions/search?seller_id&item&item_id&from&sort_fields&sort_types&limit&offset&filters' },
      ],
    });
    expect(await anonymousClient.describe({ path: 'answers' })).toMatchObject({
      methods: [{ example: 'POST /answers {question_id, text}' }],
    });
    await expect(anonymousClient.describe({ path: '/nowhere' })).rejects.toThrow('There is no resource /nowhere');
  });

  test('OPTIONS has a description for every endpoint and field', async () => {
    const paths = Object.values(endpoints).flatMap((group) => pathsOf(group));
    for (const path of paths.filter((each) => each !== '/{path*}')) {
      const { attributes } = await client.describe({ path: path.replace(/\{\w+\*?\}/g, '1') });
      for (const text of Object.values(attributes ?? {})) expect(text).toMatch(/^[\w ,:8ISOorf.]+/);
    }
  });
});

function pathsOf(group: object): string[] {
  if ('path' in group && typeof group.path === 'string') return [group.path];
  return Object.values(group).flatMap((each: unknown) =>
    typeof each === 'object' && each !== null ? pathsOf(each) : [],
  );
}

describe('unknown resources', () => {
  test('an unknown path, method and encoding have their errors', async () => {
    expect(await get('/nowhere')).toMatchObject({ status: 404 });
    expect(JSON.parse((await get('/answers')).text)).toEqual({
      message: 'GET is not allowed on /answers',
      error: 'method_not_allowed',
      status: 405,
      cause: [],
    });
    expect(await get('/questions/%E0%A4%A')).toMatchObject({ status: 404 });
    for (const authorization of ['Basic abc', 'x Bearer abc', 'Bearer abc']) {
      const { status, text } = await get('/currencies', { headers: { authorization } });
      expect([status, JSON.parse(text)]).toMatchObject([401, { error: 'invalid_token' }]);
    }
  });
});

describe('a user', () => {
  test('is given by the id alone, too', async () => {
    const { user_id } = marketplace.addUser();
    expect(await marketplace.clientFor(user_id).request('GET /users/me')).toMatchObject({ id: user_id });
    expect(marketplace.tokenFor(user_id)).not.toBe(marketplace.tokenFor({ user_id }));
    expect(() => marketplace.clientFor(999)).toThrow('999');
    expect(() => marketplace.clientFor('7' as never)).toThrow('a user is a `user_id`');
  });
});

describe('failNext', () => {
  test('failNext() fails one call each, in order, with the given message', async () => {
    marketplace.failNext(endpoints.questions.ask, userAskLimit);
    marketplace.failNext('questions.ask', notActiveItem, { message: 'Gone', cause: ['item.closed'] });
    const { item_id } = marketplace.questions.getOrThrow(question_id);
    const buyerClient = marketplace.clientFor(marketplace.addUser(), { maxRetries: 0 });
    const ask = () => buyerClient.questions.ask({ item_id, text: 'Hello?' });
    await expect(ask()).rejects.toMatchObject({ name: 'AskLimitError', status: 400, code: 'user_ask_limit' });
    await expect(ask()).rejects.toMatchObject({
      name: 'ItemNotActiveError',
      message: 'POST /questions failed with 400 (not_active_item): Gone',
      causes: [{ message: 'item.closed' }],
    });
    expect(await ask()).toMatchObject({ text: 'Hello?' });
  });

  test('failNext() rejects an unknown endpoint', () => {
    const unknown = { ...endpoints.questions.ask, name: 'questions.shout' };
    expect(() => {
      marketplace.failNext(unknown, userAskLimit);
    }).toThrow(/there is no endpoint "questions.shout"; the endpoints are actionGuide.caps/);
    expect(() => marketplace.failNext('questions.shout', userAskLimit)).toThrow(
      'there is no endpoint "questions.shout"',
    );
  });
});

describe('misuse is a FakeMarketplaceError that says what to do instead', () => {
  test.each<[string, (fake: FakeMarketplace) => unknown, string]>([
    [
      'an item of an unknown user',
      (fake) => fake.addItem({ seller_id: 9 }),
      'there is no user 9; add one with addUser',
    ],
    [
      'a question about an unknown item',
      (fake) => fake.ask({ from: fake.addUser(), item_id: 'MLA0', text: '?' }),
      'there is no item MLA0; add one with addItem({ seller_id })',
    ],
    [
      'an answer to an unknown question',
      (fake) => fake.questions.answer(1, 'Yes.'),
      'there is no question 1; add one with ask(',
    ],
  ])('%s', (_, misuse, message) => {
    expect(() => misuse(new FakeMarketplace())).toThrow(message);
    expect(() => misuse(new FakeMarketplace())).toThrow(FakeMarketplaceError);
  });
});

describe('marketplace.fetch', () => {
  test('marketplace.fetch takes the arguments of fetch', async () => {
    const url = `${marketplace.baseUrl}/questions/${question_id}`;
    const responses = [
      await marketplace.fetch(url),
      await marketplace.fetch(new URL(url)),
      await marketplace.fetch(new Request(url)),
      await marketplace.fetch(new Request(url, { method: 'DELETE' }), { method: 'GET' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
  });
});
