import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  ServerError,
  UnprocessableEntityError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

/** Files are read as they come. */
const plain = everyEndpoint.filter(({ endpoint }) => endpoint.responseBody !== 'stream');

/** The error of a call whose response has this body, with status 200. */
async function errorAfter({ endpoint, input }: (typeof plain)[number], body: unknown): Promise<ApiError> {
  const { sellerClient } = stubbed([Response.json(body)], { maxRetries: 0 });
  const file = endpoint.requestBody === 'multipart' ? { file: new Blob(['bytes']), filename: 'a.pdf' } : {};
  return errorOf<ApiError>(sellerClient.call(endpoint, { ...input, ...file }));
}

describe.each(plain)('an error in a 200 of $name', (trial) => {
  test('has the class of the status that it states', async () => {
    for (const [body, status, Class] of [
      [{ status_code: 403, code: 'forbidden', message: 'Not yours' }, 403, ForbiddenError],
      [{ status: 404, message: 'item not found' }, 404, NotFoundError],
      [{ status: 401, error: 'unauthorized', cause: [] }, 401, AuthenticationError],
      [{ status: 422, details: { anything: true } }, 422, ApiError],
      [{ status: '404', message: 'item not found' }, 404, NotFoundError],
      [{ status: 200, status_code: 409 }, 409, ConflictError],
      [{ status: 503, error: 'busy' }, 503, ServerError],
    ] as const) {
      const error = await errorAfter(trial, body);
      const said = JSON.stringify(body);
      expect(error, said).toBeInstanceOf(Class);
      expect(error.status, said).toBe(status);
      expect(error.message, said).toContain('response with status 200');
      expect(error.outcomeUnknown, said).toBe(false);
    }
  });

  test('is not taken for its content', async () => {
    for (const body of [
      { error: 'a_new_error' },
      { error: 'a_new_error', message: 'Try later', cause: null },
      { error: 'a_new_error', request_id: 'r-1', path: '/x' },
      { error: { code: 'a_new_error', message: 'Try later' } },
      { errors: [{ message: 'a_new_error' }] },
      { code: 'a_new_error' },
      { code: 'a_new_error', message: 'Try later', blocked_by: 'policy' },
      { code: 409, message: 'a_new_error' },
    ]) {
      const error = await errorAfter(trial, body);
      const said = JSON.stringify(body);
      expect(
        [ApiError, UnexpectedResponseError].some((each) => error instanceof each),
        said,
      ).toBe(true);
      expect(error.message, said).toContain('a_new_error');
      if (error instanceof UnexpectedResponseError) expect(error.message).toContain('did not do it');
    }
  });
});

// GraphQL has its data in `data`.
test.each(plain.filter(({ endpoint }) => !endpoint.loadExchange))(
  'an error in a 200 of $name that has data too has the class of its status',
  async (trial) => {
    const error = await errorAfter(trial, { status: 422, data: { anything: true } });
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error.outcomeUnknown).toBe(false);
  },
);

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

const done = [
  { error: false },
  { error: null, message: 'Done' },
  { errors: [] },
  { code: 200, message: 'OK' },
  { code: 399, message: 'OK' },
  { code: 0 },
  { code: '399' },
  { code: null },
  { code: '' },
  { error: {} },
  { errors: {} },
];

test.each(done)('%j is no error', async (body) => {
  const { sellerClient } = stubbed([Response.json(body)]);
  expect(await sellerClient.questions.blacklist.add({ seller_id: 7, user_id: 31 })).toEqual(body);
});

test.each([
  { code: 400 },
  { code: '400' },
  { code: 999 },
  { code: 'x' },
  { error: true },
  { error: { a: 1 } },
  { errors: [{}] },
])('%j is an error', async (body) => {
  const { sellerClient } = stubbed([Response.json(body)]);
  const error = await errorOf(sellerClient.questions.blacklist.add({ seller_id: 7, user_id: 31 }));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
});

test.each([
  [399, false],
  [400, true],
  [999, true],
  [1000, false],
])('a stated status of %i is one of an error: %s', async (status, isError) => {
  const { sellerClient } = stubbed([Response.json({ status, details: 'x' })], { maxRetries: 0 });
  const added = sellerClient.questions.blacklist.add({ seller_id: 7, user_id: 31 });
  const found: unknown = await added.catch((error: unknown) => error);
  expect(found instanceof ApiError && found.status === status).toBe(isError);
});

test('a configuration beside an empty list of errors is read', async () => {
  for (const errors of [null, []]) {
    const { sellerClient } = stubbed([Response.json({ configuration: { is_moderated: false }, errors })]);
    const found = sellerClient.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1 });
    expect(await found).toEqual({ is_moderated: false });
  }
});

test('a write with an error in its 200 was rejected: it is not sent again, and its outcome is known', async () => {
  const { sellerClient, sent } = stubbed([Response.json({ status: 400, error: 'not_unanswered_question' })], {
    unknownOutcome: 'confirm',
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
