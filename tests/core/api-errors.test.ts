import { fc } from '../support/fast-check.ts';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  InvalidQuestionError,
  NotFoundError,
  QuestionNotOpenError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
  UnprocessableEntityError,
} from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const answer = { question_id: 42, text: 'Sí, hay stock para entregar hoy.' };

/** The error of an answer that the service rejects with this response. */
async function errorOfResponse(status: number, body: unknown, headers: Record<string, string> = {}): Promise<ApiError> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { sellerClient } = stubbed([new Response(text, { status, headers })], { maxRetries: 0 });
  return errorOf<ApiError>(sellerClient.questions.answer(answer));
}

describe('the status decides the class of an error', () => {
  test.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
    [500, ServerError],
    [599, ServerError],
    [418, ApiError],
  ])('%i', async (status, Class) => {
    for (const body of ['', 'null', '7', '[]', '{"status":200}', '<html>no</html>', '{"cut', '"text"', 'null null']) {
      const error = await errorOfResponse(status, body);
      expect(error).toBeInstanceOf(Class);
      expect(error.status).toBe(status);
    }
  });

  test('an error body of ten megabytes gives an error with a short message', async () => {
    const error = await errorOfResponse(502, 'x'.repeat(10 * 1024 * 1024));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message.length).toBeLessThan(500);
  });

  test('a 401 whose code is not_found is an AuthenticationError', async () => {
    expect(await errorOfResponse(401, { error: 'not_found' })).toBeInstanceOf(AuthenticationError);
  });
});

describe('code, text and causes are read from every shape of body', () => {
  const code = 'invalid_question';
  const text = 'Invalid question';
  const shapes: [string, unknown, unknown][] = [
    ['the standard body', { message: text, error: code, status: 400, cause: [] }, []],
    ['code and message', { code, message: text }, []],
    ['status, error, code', { status: 400, error: 'Bad Request', code }, []],
    ['status_code, code, message', { status_code: 400, code, message: text, extra: 1 }, []],
    ['error_description', { error: code, error_description: text }, []],
    ['message and error swapped', { message: code, error: text }, []],
    ['a cause as a string', { message: text, error: code, cause: 'why' }, [{ code: 'why', message: 'why' }]],
    ['causes as strings', { message: text, error: code, cause: ['so it is'] }, [{ message: 'so it is' }]],
    [
      'causes as objects',
      { message: text, error: code, cause: [{ cause_id: 12, type: 'e', code: 'c1', message: 'm1' }, { cause_id: 13 }] },
      [{ code: 'c1', message: 'm1' }, { code: '13' }],
    ],
    ['a cause as an object', { message: text, error: code, cause: { message: 'm' } }, [{ message: 'm' }]],
    ['a cause of null', { message: text, error: code, cause: null }, []],
    ['an empty cause', { message: text, error: code, cause: '' }, []],
    ['a cause that is neither text nor number', { message: text, error: code, cause: [true, {}] }, [{}]],
    ['a cause as a number', { message: text, error: code, cause: 7 }, [{ message: '7' }]],
    [
      'a list of lists of causes',
      { message: text, error: code, cause: [[{ code: 'c1' }], ['c2']] },
      [{ code: 'c1' }, { code: 'c2', message: 'c2' }],
    ],
    ['a deeper list', { message: text, error: code, cause: [[['c1']]] }, []],
    ['an error as an object', { error: { code, message: text } }, [{ code, message: text }]],
    [
      'errors as a list',
      { errors: [{ code, message: text }, { message: 'm' }] },
      [{ code, message: text }, { message: 'm' }],
    ],
  ];

  test.each(shapes)('%s', async (_, body, causes) => {
    const error = await errorOfResponse(400, body);
    expect(error).toBeInstanceOf(InvalidQuestionError);
    expect(error).toMatchObject({ code, causes, body });
  });

  test.each<readonly [body: unknown, code: string | undefined, reason: string]>([
    [{ message: 'broken_thing' }, 'broken_thing', 'broken_thing'],
    [{ message: 'Broken' }, undefined, 'Broken'],
    [{ message: 'broken thing' }, undefined, 'broken thing'],
    [{ message: 'why', error: 'Bad Request' }, 'why', 'why'],
    [{ message: 'So it is', error: 'Bad Request' }, 'Bad Request', 'So it is'],
    [{ error: 'Bad Request', code: 'broken.thing-2' }, 'broken.thing-2', 'Bad Request'],
    [{ error: '2broken', code: 40_012 }, '2broken', '2broken'],
    [{ code: 40_012 }, '40012', '40012'],
    [{ code: 'Broken' }, 'Broken', 'Broken'],
    [{ error: '', message: '' }, undefined, 'the service gave no reason'],
    [{ error_description: 'broken_thing' }, undefined, 'broken_thing'],
    [{ message: { en: 'no' }, error: true }, undefined, 'the service gave no reason'],
    [{ error: { message: 'So it is' } }, undefined, 'So it is'],
    [['broken_thing'], undefined, 'the service gave no reason'],
    ['<p>local_rate_limited</p>', undefined, 'local_rate_limited'],
    ['<a\nhref="/">So\n\tit</a>   is ', undefined, 'So it is'],
    ['a < b', undefined, 'a < b'],
    ['a<br>b', undefined, 'a b'],
    ['x'.repeat(200), undefined, 'x'.repeat(200)],
    ['x'.repeat(201), undefined, `${'x'.repeat(200)}…`],
  ])('%j has code and reason %j %j', async (body, expected, reason) => {
    const error = await errorOfResponse(400, body);
    expect(error.code).toBe(expected);
    expect(error.message).toBe(`POST /answers failed with 400${expected ? ` (${expected})` : ''}: ${reason}`);
    if (typeof body === 'string' || Array.isArray(body)) expect(error.causes).toEqual([]);
  });

  test('the first hundred causes are read', async () => {
    const cause = Array.from({ length: 101 }, (_, n) => `cause ${n}`);
    const { causes } = await errorOfResponse(400, { message: 'no', cause });
    expect(causes).toEqual(cause.slice(0, 100).map((message) => ({ message })));
  });

  test('any body gives an error of its status, with a list of causes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(400, 401, 403, 404, 409, 422, 500, 503),
        fc.record(
          { message: fc.jsonValue(), error: fc.jsonValue(), code: fc.jsonValue(), cause: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        async (status, body) => {
          const error = await errorOfResponse(status, body);
          expect(error.status).toBe(status);
          expect(Array.isArray(error.causes)).toBe(true);
          expect(error.causes.every((cause) => Object.values(cause).every((word) => typeof word === 'string'))).toBe(
            true,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a documented error is matched by its code', async () => {
    expect(await errorOfResponse(400, { error: 'not_unanswered_question' })).toBeInstanceOf(QuestionNotOpenError);
  });
});

describe('the other fields of an ApiError', () => {
  test('an ApiError has the request id, the attempts, the headers without cookies and retryAfterMs', async () => {
    const error = await errorOfResponse(429, {}, { 'x-request-id': 'r-7', 'retry-after': '5', 'set-cookie': 'sid=1' });
    expect(error).toMatchObject({ requestId: 'r-7', attempts: 1, retryAfterMs: 5000 });
    expect(error.headers.get('retry-after')).toBe('5');
    expect(error.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ['5', 5000],
    ['1.5', 1500],
    // 1000.9999999999999 ms, and 0.4 ms: whole ones, and not too few.
    ['1.001', 1001],
    ['0.0004', 1],
    ['0', 0],
    ['120, 120', 120_000],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
  ])('a Retry-After of %j', async (written, ms) => {
    // The service's own clock counts: this machine's may be years off.
    const error = await errorOfResponse(429, {}, { 'retry-after': written, date: 'Wed, 21 Oct 2026 07:28:00 GMT' });
    expect(error.retryAfterMs).toBe(ms);
  });

  test('toCurl() prints the request with token and texts masked', async () => {
    const { sellerClient } = stubbed([new Response('{}', { status: 400 })], {
      headers: { 'x-request-id': "o'neil", 'x-team': 'blue', cookie: 'sid=9' },
    });
    const query = { access_token: 'in-query-1' };
    const error = await errorOf<ApiError>(sellerClient.questions.answer(answer, { query }));
    const curl = error.toCurl();
    expect(curl).toBe(
      [
        `curl -X POST 'https://api.test/answers?access_token=[redacted]'`,
        `-H 'accept: application/json'`,
        `-H 'x-request-id: o'\\''neil'`,
        `-H 'x-team: [redacted]'`,
        `-H 'cookie: [redacted]'`,
        `-H 'content-type: application/json; charset=utf-8'`,
        `-H 'authorization: Bearer [redacted]'`,
        `--data-raw '{"question_id":42,"text":"[redacted]"}'`,
      ].join(' \\\n  '),
    );
    expect(error.toCurl({ texts: true })).toContain(answer.text);
    expect(error.toCurl({ texts: true })).not.toMatch(/token-1|in-query-1|sid=9/);
  });
});

describe('a 2xx response that cannot be delivered', () => {
  test('HTML with status 200 is an UnexpectedResponseError, which says that a write was carried out', async () => {
    const { sellerClient } = stubbed([new Response('<html>hello</html>')], { maxRetries: 0 });
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.answer(answer));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ status: 200, body: '<html>hello</html>', issues: [] });
    expect(error.message).toBe(
      'POST /answers responded 200 with a body that is not JSON. The service reported success, so the write was most ' +
        'likely carried out; do not retry it without checking.',
    );
  });

  test('a body longer than maxResponseBytes is an UnexpectedResponseError without a body, or the error of its status', async () => {
    const { sellerClient } = stubbed([Response.json(wireQuestion), Response.json({ message: 'no' }, { status: 404 })], {
      maxResponseBytes: 10,
    });
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.get({ question_id: 42 }));
    expect(error.message).toBe(
      'GET /questions/{question_id} responded 200 with a body that is longer than `maxResponseBytes`.',
    );
    expect(error).toMatchObject({ status: 200, attempts: 1, issues: [] });
    expect(error.body).toBeUndefined();
    expect(await errorOf(sellerClient.questions.get({ question_id: 42 }))).toBeInstanceOf(NotFoundError);
  });

  test("responseValidation: 'report' delivers the body as it came", async () => {
    const onDrift = vi.fn();
    const { sellerClient } = stubbed([Response.json({ id: 'x' })], { responseValidation: 'report', onDrift });
    expect(await sellerClient.questions.get({ question_id: 1 })).toEqual({ id: 'x' });
    expect(onDrift).toHaveBeenCalled();
  });

  test('an onDrift that throws does not fail the call', async () => {
    const onDrift = (): never => {
      throw new Error('the metrics are down');
    };
    const { sellerClient } = stubbed([Response.json({ id: {} })], { responseValidation: 'report', onDrift });
    expect(await sellerClient.questions.get({ question_id: 1 })).toEqual({ id: {} });
  });

  test.each([
    ['nothing', {}],
    ['null', { id: null }],
    ['list', { id: [] }],
    ['object', { id: {} }],
    ['boolean', { id: true }],
  ])('a drift report names the kind of the value received: %s', async (received, body) => {
    const seen: unknown[] = [];
    const { sellerClient } = stubbed([Response.json(body)], {
      responseValidation: 'report',
      onDrift: (drift) => void seen.push(drift),
    });
    await sellerClient.questions.get({ question_id: 1 });
    expect(seen).toMatchObject([{ endpoint: { name: 'questions.get' }, path: ['id'], received }]);
  });

  test('an integer beyond 2^53 is never rounded', async () => {
    const { sellerClient } = stubbed([
      new Response('{"id":42,"big":9007199254740993,"text":"9007199254740993 and \\"9007199254740993"}'),
    ]);
    const question = await sellerClient.questions.get({ question_id: 42 });
    expect((question as { big?: unknown }).big).toBe('9007199254740993');
    expect(question.text).toBe('9007199254740993 and "9007199254740993');
    const { sellerClient: other } = stubbed([new Response('{"id":9007199254740993}')], { maxRetries: 0 });
    expect(await errorOf(other.questions.get({ question_id: 42 }))).toMatchObject({
      message: expect.stringContaining('2^53') as string,
    });
  });

  test('an empty response to a read is unexpected; to a write without a documented response it is undefined', async () => {
    for (const empty of [new Response(null, { status: 204 }), new Response(' \r\n', { status: 200 })]) {
      const { sellerClient } = stubbed([empty]);
      const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toBe(`GET /questions/{question_id} responded ${empty.status} with an empty body.`);
      expect(await sellerClient.questions.answer(answer)).toBeUndefined();
    }
  });
});

describe('a redirect', () => {
  const reasonOf = async (response: Response): Promise<string> => {
    const { sellerClient } = stubbed([() => response], { maxRetries: 0 });
    return (await errorOf(sellerClient.questions.get({ question_id: 42 }))).message;
  };

  test.each([
    ['of a browser, which hides where to', Response.error(), '0: `baseUrl` redirects; is it right?'],
    ['without a location', new Response(null, { status: 302 }), '302: `baseUrl` redirects; is it right?'],
    [
      'with a location',
      new Response(null, { status: 308, headers: { location: 'https://www.test/' } }),
      '308: `baseUrl` redirects to https://www.test/; is it right?',
    ],
  ])('%s is an error that says so', async (_, response, reason) => {
    expect(await reasonOf(response)).toBe(`GET /questions/{question_id} failed with ${reason}`);
  });

  test('is not any error response with a location', async () => {
    const response = new Response(null, { status: 409, headers: { location: 'https://www.test/' } });
    expect(await reasonOf(response)).toContain('failed with 409: the service gave no reason');
  });
});

test('no error prints the request it belongs to', async () => {
  const echo = `"${answer.text}" is rejected, call +54 11 5555-4444 or mail ana@example.com, not 4300000001`;
  const error = await errorOfResponse(400, { message: echo, error: 'x', cause: [{ message: echo }] });
  expect(error.message).toBe(
    'POST /answers failed with 400 (x): "[redacted]" is rejected, call [redacted] or mail [redacted], not 4300000001',
  );
  expect(JSON.stringify(error)).not.toMatch(/hay stock|5555|ana@/);
  expect(wireQuestion.id).toBe(42);
});

describe('serviceMessage: what the service says', () => {
  test.each<[string, unknown, string | undefined]>([
    [
      'of a message',
      { message: 'Question 42 is not unanswered', error: 'not_unanswered_question', status: 400 },
      'Question 42 is not unanswered',
    ],
    [
      'of error_description',
      { error: 'invalid_grant', error_description: 'The grant has ended' },
      'The grant has ended',
    ],
    ['of an error alone', { error: 'The item is closed' }, 'The item is closed'],
    ['of a list of errors', { errors: [{ message: 'No such field' }] }, 'No such field'],
    ['of a text', 'Bad gateway', 'Bad gateway'],
    ['of a page', '<html><h1>502</h1>Bad gateway</html>', '502 Bad gateway'],
    [
      'masked',
      { message: `no: "${answer.text}", call (011) 4555-1234, token-1` },
      'no: "[redacted]", call [redacted], [redacted]',
    ],
    ['without control characters', { message: 'no\n\u0007way' }, 'no way'],
    ['of nothing', {}, undefined],
    ['of an empty message', { message: '' }, undefined],
    ['of a code alone', { code: 'not_found' }, undefined],
  ])('%s', async (_, body, expected) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { sellerClient } = stubbed([new Response(text, { status: 400 })]);
    const error = await errorOf<ApiError>(sellerClient.questions.answer(answer));
    expect(error.serviceMessage).toBe(expected);
    if (expected !== undefined) expect(error.message).toContain(expected);
    expect(Object.keys(error)).not.toContain('serviceMessage');
    expect(JSON.stringify(error)).not.toContain('serviceMessage');
  });

  test('of a redirect it is not the words of this library', async () => {
    const redirect = new Response(null, { status: 302, headers: { location: 'https://other.test/' } });
    const { sellerClient } = stubbed([redirect]);
    const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 42 }));
    expect(error.message).toContain('`baseUrl` redirects to https://other.test/');
    expect(error.serviceMessage).toBeUndefined();
  });
});
