import {
  ApiError,
  AuthenticationError,
  ForbiddenError,
  NotFoundError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

/** Files are read as they come, GraphQL reports errors in its own form, and so does the assignment of a driver. */
const plain = everyEndpoint.filter(({ endpoint }) => endpoint.responseBody !== 'stream' && !endpoint.errorInBody);

/** The error of a call whose response has this body, with status 200. */
async function errorAfter({ endpoint, input }: (typeof plain)[number], body: unknown): Promise<ApiError> {
  const { sellerClient } = stubbed([Response.json(body)], { maxRetries: 0 });
  const file = endpoint.requestBody === 'multipart' ? { file: new Blob(['bytes']), filename: 'a.pdf' } : {};
  return errorOf<ApiError>(sellerClient.call(endpoint, { ...input, ...file }));
}

describe.each(plain)('an error in a 200 of $name', (trial) => {
  test.each([
    [{ status_code: 403, code: 'forbidden', message: 'Not yours' }, 403, ForbiddenError],
    [{ status: 404, message: 'item not found' }, 404, NotFoundError],
    [{ status: 401, error: 'unauthorized', cause: [] }, 401, AuthenticationError],
    [{ status: 422, data: { anything: true } }, 422, ApiError],
  ])('%j has the class of the status that it states', async (body, status, Class) => {
    const error = await errorAfter(trial, body);
    expect(error).toBeInstanceOf(Class);
    expect(error.status).toBe(status);
    expect(error.message).toContain('response with status 200');
    expect(error.outcomeUnknown).toBe(false);
  });

  test.each([{ error: 'a_new_error' }, { code: 'A-17' }, { error: 'a_new_error', message: 'Try later', cause: null }])(
    '%j is not taken for its content',
    async (body) => {
      const error = await errorAfter(trial, body);
      expect([ApiError, UnexpectedResponseError].some((each) => error instanceof each)).toBe(true);
      expect(error.message).toContain(body.error ?? body.code);
      if (error instanceof UnexpectedResponseError) expect(error.message).toContain('did not do it');
    },
  );
});

const lists = plain.filter(({ name }) =>
  [
    'questions.search',
    'questions.blacklist.list',
    'messages.conversation',
    'sites.search',
    'actionGuide.options',
  ].includes(name),
);

test.each(lists)('$name is no empty list because a body is something else', async (trial) => {
  for (const body of [{ message: 'Try again later' }, { detail: 'x' }, { anything: [] }])
    expect(await errorAfter(trial, body), JSON.stringify(body)).toBeInstanceOf(UnexpectedResponseError);
});

test.each([
  { ...wireQuestion, error: null },
  { ...wireQuestion, code: 'x', error: 'x' },
  { ...wireQuestion, status: 'ANSWERED', status_code: 200 },
])('a body with fields of the output is content: %j', async (body) => {
  const { sellerClient } = stubbed([Response.json(body)]);
  expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
});

test('a write with an error in its 200 was rejected: it is not sent again, and its outcome is known', async () => {
  const { sellerClient, sent } = stubbed([Response.json({ status: 400, error: 'not_unanswered_question' })], {
    onUnknownOutcome: 'confirm',
  });
  const error = await errorOf<ApiError>(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
  expect(error.name).toBe('QuestionNotOpenError');
  expect(error.outcomeUnknown).toBe(false);
  expect(sent).toHaveLength(1);
});

test('a read with a 503 in its 200 is retried, and a 401 in it asks for another token', async () => {
  const tokens = ['old', 'new'];
  const { sellerClient, sent } = stubbed(
    [
      Response.json({ status: 503, error: 'busy' }),
      Response.json({ status: 401, error: 'invalid_token' }),
      Response.json(wireQuestion),
    ],
    { accessToken: ({ rejected }) => (rejected === undefined ? tokens[0]! : tokens[1]!) },
  );
  expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
});
