import {
  ApiError,
  InvalidInputError,
  NotFoundError,
  ServerError,
  UnexpectedResponseError,
  readJsonp,
} from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { parseJson } from '../../src/core/json/json.js';
import { eachTransport, errorOf, wireQuestion } from '../support/stubs.ts';

const message = { pack_id: 2000001, user_id: 7, to: { user_id: 31 }, text: 'Your parcel leaves today.' };

/** How many characters work reads of texts, one by one or as JSON. */
function charactersReadBy(work: () => void): number {
  const { parse } = JSON;
  const at = vi.spyOn(String.prototype, 'charCodeAt');
  const parsed = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver): unknown => parse(text, reviver));
  work();
  const [ones, texts] = [at.mock.calls.length, parsed.mock.calls.map(([text]) => text.length)];
  vi.restoreAllMocks();
  return texts.reduce((sum, length) => sum + length, ones);
}

const kb = (unit: string, count: number): string => unit.repeat(Math.ceil((count * 1024) / unit.length));

describe('no text is too long to be parsed', () => {
  test('a JSONP response that consists of blanks is rejected', () => {
    for (const text of [kb(' ', 200), `callback(${kb(' ', 200)}x`, kb('/*', 200), `a(${kb(') ', 200)}x`])
      expect(() => readJsonp(text)).toThrow(UnexpectedResponseError);
    expect(readJsonp(' /* a comment */ a.b["c"] ( [200, {}, {"id": 1}] ) ; \n')).toEqual({ id: 1 });
  });

  test.each([
    ['escaped quotes', (count: number) => `{"id":12345678901234567890,"text":"${kb('\\"', count)}"}`],
    ['escaped quotes that do not end', (count: number) => `{"id":12345678901234567890,"text":"${kb('\\"', count)}`],
    ['quotes', (count: number) => kb('"', count)],
    ['long integers', (count: number) => `[${kb('12345678901234567890,', count)}0]`],
    ['digits', (count: number) => `[${kb('1', count)}]`],
    ['digits that are no number', (count: number) => `${kb('1', count)}x`],
  ])('a text of twice as many %s takes twice as many steps', (_, textOf) => {
    const read = (count: number): number =>
      charactersReadBy(() => {
        try {
          parseJson(textOf(count));
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      });
    expect(read(20) / read(10)).toBeLessThan(2.1);
  });

  test('text with long integers and escaped quotes is parsed', () => {
    const text = `{"id":12345678901234567890,"text":"${kb('\\"', 8000)}"}`;
    expect(parseJson(text)).toMatchObject({ id: '12345678901234567890' });
    expect(() => parseJson(text.slice(0, -2))).toThrow(SyntaxError);
  });
});

const deep = '['.repeat(50_000) + ']'.repeat(50_000);

// The linter rejects patterns that take more than linear time.
describe.each(eachTransport)('no response body is too long or too deep to be read, over %s', (__, createClient) => {
  test.each([
    ['an HTML page of 200 KB, 502', 502, kb('<p>the file is not here, send it to the sender from ', 200), ServerError],
    ['an HTML page of 200 KB under a documented status', 403, kb('the receiver to to from sender ', 200), ApiError],
    ['a text that repeats what patterns look for', 400, kb('text attachment 25 to not from no ', 200), ApiError],
    [
      'causes without end',
      404,
      JSON.stringify({ cause: Array(9000).fill({ code: 'x', message: kb('to ', 1) }) }),
      NotFoundError,
    ],
    [
      'JSON that ends within a string of escaped quotes',
      500,
      `{"id":12345678901234567890,"text":"${kb('\\"', 200)}`,
      ServerError,
    ],
    ['tags that are not closed', 500, kb('<', 200), ServerError],
    ['nested lists', 400, `{"cause":${deep}}`, ApiError],
    ['nested objects', 403, `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, ApiError],
  ])('%s', async (_, status, body, Class) => {
    const { sellerClient } = await createClient([new Response(body, { status })], { maxRetries: 0 });
    const error = await errorOf(sellerClient.messages.send(message));
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ status });
    expect(error.message.length).toBeLessThan(700);
  });

  test('a query with many quotes that are not closed is checked', async () => {
    const { sellerClient } = await createClient([new Response('{}')]);
    const calls = ['"' + kb('\\"', 200), kb('"""\\"""', 200), kb('#', 200)].map((query) =>
      sellerClient.flex.query({ site_id: 'MLA', query }).catch((error: unknown) => error),
    );
    expect(await Promise.all(calls)).toHaveLength(3);
  });
});

describe.each(eachTransport)(
  'a response of a strange shape ends as the right class with a short message, over %s',
  (name, createClient) => {
    const search = { seller_id: 7 };

    test.each([
      // The transport has no part in it.
      ...(name === 'fetch'
        ? [['9,000 wrong entries', JSON.stringify({ total: 1, questions: Array(9_000).fill({ id: [] }) })]]
        : []),
      ['lists in lists', `{"questions":${deep}}`],
    ])('%s', async (_, body) => {
      const { sellerClient } = await createClient([new Response(body)]);
      const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.search(search).first());
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message.length).toBeLessThan(1000);
    });

    // The service sends the same page for each offset, so entries have to be known again.
    test.each([
      ['nested without end', `{}, ${deep}`],
      ['without an id', '{"text":"a"}, {"text":"b"}'],
      ['with an id that is a list', '{"id":[1]}, {"id":[2]}'],
      ['with an id that is an object', '{"id":{"id":1}}, {"id":{"id":2}}'],
      ['with an id that is nested without end', `{"id":${deep},"text":"a"}, {"id":${deep},"text":"b"}`],
    ])('an entry %s is delivered as it came, once', async (_, entries) => {
      let pages = 0;
      const page = () => {
        if ((pages += 1) > 100) throw new Error('the list does not end');
        return new Response(`[${entries}]`);
      };
      const { sellerClient } = await createClient([page], { responseValidation: 'report', maxRetries: 0 });
      expect(await sellerClient.questions.search(search).toArray()).toHaveLength(2);
    });

    test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
      'the GraphQL error code %s is no status',
      async (code) => {
        const errors = [{ message: 'No.', extensions: { code } }];
        const { sellerClient } = await createClient([Response.json({ errors })]);
        const error = await errorOf<ApiError>(
          sellerClient.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001 }),
        );
        expect(error).toBeInstanceOf(ApiError);
        expect(error.status).toBeTypeOf('number');
      },
    );

    test.each([['[[[['], ['{"message":'], ['"x"']])(
      'errors that are %s in a GraphQL body are an error',
      async (start) => {
        const depth = 50_000;
        const nested = start.startsWith('[')
          ? '['.repeat(depth) + ']'.repeat(depth)
          : start === '"x"'
            ? start
            : `{"message":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const { sellerClient } = await createClient([new Response(`{"errors":[${nested}]}`)]);
        const call = sellerClient.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001 });
        expect(await errorOf(call)).toBeInstanceOf(ApiError);
      },
    );

    test('an input that is wrong in many places has a short message', async () => {
      const { sellerClient, sent } = await createClient([Response.json(wireQuestion)]);
      const attachments = Array(20).fill({}) as unknown as string[];
      const error = await errorOf<InvalidInputError>(sellerClient.messages.send({ ...message, attachments }));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.issues.length).toBeGreaterThan(10);
      expect(error.message).toMatch(/; and \d+ more$/);
      expect(sent).toEqual([]);
    });
  },
);
