import {
  ApiError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  InvalidInputError,
  NotFoundError,
  OutcomeUnknownError,
  RequestAbortedError,
  SellerError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed } from '../support/stubs.ts';

const details = { status: 404, headers: new Headers({ 'x-amzn-requestid': 'r-1' }), body: { a: 1 }, causes: [] };
const notFound = new NotFoundError('no', details);
const moved = new NotFoundError('no', { ...details, status: 400 });
const unexpected = new UnexpectedResponseError('no', { ...details, status: 500, issues: [] });

class OwnError extends NotFoundError {}

describe('instanceof', () => {
  test.each<[string, unknown, { [Symbol.hasInstance](value: unknown): boolean }, boolean]>([
    ['an error is of its class', notFound, NotFoundError, true],
    ['an error is of the classes above', notFound, ApiError, true],
    ['an error is of the root', notFound, SellerError, true],
    ['an error is of no other class', notFound, ConfigurationError, false],
    ['the status decides', moved, BadRequestError, true],
    ['the status alone decides', moved, NotFoundError, false],
    ['a status below a range', new ServerError('no', { ...details, status: 499 }), ServerError, false],
    ['a status above a range', new ServerError('no', { ...details, status: 600 }), ServerError, false],
    ['an error with a status that is no ApiError', unexpected, ServerError, false],
    ['a lost response with the status 503', new OutcomeUnknownError('no', { status: 503 }), ServerError, false],
    ['an error of a class of the user', new OwnError('no', details), OwnError, true],
    ['such an error is of the class above', new OwnError('no', details), NotFoundError, true],
    ['an error is of no class of the user', notFound, OwnError, false],
    ['another error', new Error('no'), SellerError, false],
    ['null', null, SellerError, false],
    ['a text', 'SellerError', SellerError, false],
    ['null and a class of the user', null, OwnError, false],
    ['the class itself', SellerError, SellerError, false],
  ])('%s', (_, value, Class, expected) => {
    expect(value instanceof Class).toBe(expected);
  });

  test('nothing is of something that is no class', () => {
    expect(SellerError[Symbol.hasInstance].call({}, notFound)).toBe(false);
  });

  test('an error of another copy of the package is of the class with its kind', () => {
    const kinds = ['NotFoundError', 'ApiError', 'SellerError'];
    const copy = { status: 404, [Symbol.for('marketplace-seller-sdk.error')]: kinds };
    expect([copy instanceof SellerError, copy instanceof NotFoundError, copy instanceof ServerError]).toEqual([
      true,
      true,
      false,
    ]);
    expect(Object.assign(copy, { status: '404' }) instanceof NotFoundError).toBe(false);
  });
});

test('the name of an error can be changed and is not printed as a field', () => {
  const error = new TimeoutError('no');
  expect(error.name).toBe('TimeoutError');
  expect(Object.keys(error)).not.toContain('name');
  error.name = 'Other';
  expect(error.name).toBe('Other');
  Object.defineProperty(error, 'name', { value: 'Again' });
  expect(error.name).toBe('Again');
});

test('docsPath names the place of the class', () => {
  expect(notFound.docsPath).toBe('marketplace-seller-sdk/docs/errors/README.md#notfounderror');
});

test('an error without a request has no curl command and cannot be confirmed', async () => {
  expect(notFound.toCurl()).toBeUndefined();
  const errors = [new RequestAbortedError('no'), new OutcomeUnknownError('no'), new ServerError('no', details)];
  for (const error of errors) {
    expect(await error.confirm()).toEqual({ unknown: 'there is no way to read back what this endpoint does' });
  }
});

test.each([
  [new ConnectionError('no'), { attempts: 1 }],
  [new ConnectionError('no', { attempts: 3 }), { attempts: 3 }],
  [new RequestAbortedError('no'), { attempts: 0, outcomeUnknown: false, name: 'AbortError' }],
  [new RequestAbortedError('no', { attempts: 2, outcomeUnknown: true }), { attempts: 2, outcomeUnknown: true }],
  [unexpected, { attempts: 1, body: { a: 1 }, headers: details.headers }],
  [new UnexpectedResponseError('no', { ...details, issues: [], attempts: 2 }), { attempts: 2 }],
  [notFound, { attempts: 1, requestId: 'r-1', headers: details.headers }],
  [new NotFoundError('no', { ...details, attempts: 4 }), { attempts: 4 }],
  [new ServerError('no', details), { outcomeUnknown: false }],
  [new ServerError('no', { ...details, outcomeUnknown: true }), { outcomeUnknown: true }],
])('an error has what it was made of: %s', (error, expected) => {
  expect(error).toMatchObject(expected);
});

test('the message of invalid input has the first five issues', () => {
  const issues = Array.from({ length: 7 }, (_, at) => ({ path: ['a', at], message: `m${at}` }));
  expect(new InvalidInputError(issues.slice(0, 5)).message).toBe('Not sent: m0; m1; m2; m3; m4');
  expect(new InvalidInputError(issues, 'No: ').message).toBe('No: m0; m1; m2; m3; m4; and 2 more');
});

describe('what an error holds of a response', () => {
  test('the request id is in one of two headers', () => {
    const both = new Headers({ 'x-amzn-requestid': 'r-1', 'x-request-id': 'r-2' });
    expect(notFound.requestId).toBe('r-1');
    expect(new NotFoundError('no', { ...details, headers: both }).requestId).toBe('r-2');
    expect(new NotFoundError('no', { ...details, headers: new Headers() }).requestId).toBeUndefined();
  });

  test.each([notFound, unexpected])('its body and its headers are readable, and are no fields', (error) => {
    expect(error.body).toEqual({ a: 1 });
    expect(error.headers.get('x-amzn-requestid')).toBe('r-1');
    for (const name of ['body', 'headers', 'url', 'endpoint']) expect(Object.keys(error)).not.toContain(name);
  });
});

test('characters that would move a cursor, start a line or reverse a text are spaces in a message', async () => {
  const text = 'no\u001b[31m\r\nuser\u202eadmin\u2028end\u200f.';
  const { sellerClient } = stubbed([Response.json({ message: text }, { status: 404 })]);
  const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
  expect(error.message).toMatch(/: no \[31m user admin end \.$/);
});
