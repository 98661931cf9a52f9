import { SellerClient } from 'marketplace-seller-sdk';
import type { DocumentedError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { BufferedResponse } from '../../src/core/response/body.js';
import { readError } from '../../src/core/response/read-error.js';
import { responseHeaders } from '../../src/core/errors/response-headers.js';
import { classOfStatus } from '../../src/core/errors/response-errors.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf } from '../support/stubs.ts';
import { errorsOfTheSpecification } from '../support/specification.ts';
import { wordings } from '../support/wordings.ts';

const codes = new Map([
  [400, 'bad_request'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'unprocessable_entity'],
  [500, 'internal_server_error'],
]);

/** The forms in which an error body carries its words. */
const forms: readonly (readonly [name: string, body: (words: string, status: number) => unknown])[] = [
  ['message', (message, status) => ({ message, error: codes.get(status), status, cause: [] })],
  ['message and error swapped', (error, status) => ({ message: codes.get(status), error, status })],
  ['only message', (message) => ({ message })],
  ['only error', (error) => ({ error })],
  ['code and message', (message, status) => ({ status_code: status, code: codes.get(status), message })],
  ['words as the code', (code, status) => ({ status_code: status, code, message: codes.get(status) })],
  ['error_description', (words, status) => ({ error: codes.get(status), error_description: words })],
  ['a cause as text', (cause, status) => ({ error: codes.get(status), message: 'See the cause', cause })],
  ['a list of causes', (words, status) => ({ error: codes.get(status), message: 'See the cause', cause: [words] })],
  ['a cause with a message', (message, status) => ({ error: codes.get(status), cause: [{ code: 'a', message }] })],
  ['a cause with a code', (code, status) => ({ error: codes.get(status), cause: [{ cause_id: 5, code }] })],
  ['an error object', (message) => ({ error: { message } })],
  ['plain text', (words) => words],
];

let response: Response;
const sellerClient = new SellerClient({
  baseUrl: 'https://api.test',
  accessToken: 'token-1',
  maxRetries: 0,
  fetch: () => Promise.resolve(response),
});
const endpoints = new Map(everyEndpoint.map((each) => [each.name, each]));

const headers = responseHeaders(new Headers());

/** The class that the reading of a body finds, without a call: that a call has it, too, is shown below. */
function readClassOf(name: string, status: number, body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const read = readError(new BufferedResponse({ status, headers }, text), endpoints.get(name)!.endpoint);
  return (read.documented?.error ?? classOfStatus(status)).kind;
}

async function classOf(name: string, status: number, body: unknown): Promise<string> {
  const { endpoint, input } = endpoints.get(name)!;
  response = typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status });
  return (await errorOf(sellerClient.call(endpoint, input))).name;
}

interface Wording {
  readonly name: string;
  readonly status: number;
  readonly error: string;
  readonly words: string;
}

/** The errors with a class of their own, with the endpoints that document them. */
const documented = everyEndpoint.flatMap(({ name, endpoint }) =>
  endpoint.errors
    .filter(({ error, status }) => error !== classOfStatus(status))
    .map(({ error, status, message }) => ({ name, status, message, error: error.name })),
);

/** Every wording, and the documented message, with every endpoint that documents the error. */
const eachWording = (kind: 'is' | 'isNot'): Wording[] =>
  documented.flatMap(({ message, ...each }) => {
    const rows = wordings.filter(({ error, of }) => error === each.error && (of?.includes(each.name) ?? true));
    const words = [...(kind === 'is' ? [message] : []), ...rows.flatMap((row) => row[kind])];
    return words.map((said) => ({ ...each, words: said }));
  });

/** Each wording once: that an endpoint has the error is shown in the first form. */
const once = (all: readonly Wording[]): readonly Wording[] => [
  ...new Map(all.toReversed().map((each) => [`${each.error} ${each.words}`, each])).values(),
];

describe.each(forms)('words in %s', (form, body) => {
  const those = (kind: 'is' | 'isNot'): readonly Wording[] =>
    form === forms[0]?.[0] ? eachWording(kind) : once(eachWording(kind));

  test('have the class that they mean', () => {
    const wrong = [];
    for (const { error, status, name, words } of those('is')) {
      const found = readClassOf(name, status, body(words, status));
      if (found !== error) wrong.push(`${name} ${status} "${words}": ${found}, not ${error}`);
    }
    expect(wrong).toEqual([]);
  });

  test('have the class of the status if they mean something else', () => {
    const wrong = [];
    for (const { status, name, words, error } of those('isNot')) {
      const found = readClassOf(name, status, body(words, status));
      if (found !== classOfStatus(status).name) wrong.push(`${name} ${status} "${words}" (not ${error}): ${found}`);
    }
    expect(wrong).toEqual([]);
  });
});

test.each([
  ['messages.conversation', 403, 'forbidden', 'PackAccessError'],
  ['messages.get', 403, 'forbidden', 'MessageAccessError'],
  ['messages.get', 404, 'not_found', 'MessageNotReadyError'],
  ['actionGuide.send', 409, 'conflict', 'ActionGuideLockedError'],
  ['questions.responseTime', 404, 'not_found', 'NoQuestionsError'],
  ['messages.send', 403, 'forbidden', 'ForbiddenError'],
  ['flex.driver', 404, 'not_found', 'NotFoundError'],
])('%s: a %d that says no more than "%s" is %s', async (name, status, code, expected) => {
  const message = code.replace('_', ' ');
  for (const body of [{ error: code }, { code, message, status }, { message: code, error: code, cause: [] }, code])
    expect(await classOf(name, status, body)).toBe(expected);
});

test.each([
  ['messages.conversation', 403, 'ForbiddenError'],
  ['messages.get', 404, 'NotFoundError'],
  ['actionGuide.send', 409, 'ConflictError'],
])('%s: a %d without a body, or with a page of a proxy, is %s', async (name, status, expected) => {
  for (const body of ['', '<html><body>The user has no access to the order; it is locked</body></html>', '{}'])
    expect(await classOf(name, status, body)).toBe(expected);
});

test('an exceeded limit means the option, unless the words name the text', async () => {
  const body = { error: 'limit_exceeded', message: 'The text is invalid' };
  expect(await classOf('actionGuide.send', 400, body)).toBe('InvalidTextError');
  expect(await classOf('actionGuide.send', 400, { error: 'limit_exceeded' })).toBe('CapExhaustedError');
  expect(await classOf('actionGuide.send', 403, { error: 'limit_exceeded' })).toBe('CapExhaustedError');
  const again = { error: 'bad_request', message: 'You are not allowed to execute the option OTHER again' };
  expect(await classOf('actionGuide.send', 400, again)).toBe('CapExhaustedError');
});

test('the wordings are of documented errors', () => {
  const classes = documented.map(({ error }) => error);
  expect(wordings.filter(({ error }) => !classes.includes(error))).toEqual([]);
  expect(documented.length).toBeGreaterThan(70);
});

test.each(forms)('a call has the class that is read from words in %s', async (_, body) => {
  const words = 'You are not allowed to execute the option OTHER again';
  const [name, status] = ['actionGuide.send', 400] as const;
  expect(await classOf(name, status, body(words, status))).toBe('CapExhaustedError');
});

test('the documented words of every error have its class, with the documented status', async () => {
  const wrong = [];
  for (const { name, endpoint } of everyEndpoint) {
    for (const { status, message, code, cause, error } of endpoint.errors) {
      const found = await classOf(name, status, { message, error: code, status, cause: cause ?? [] });
      if (found !== error.name) wrong.push(`${name} ${status} "${message}": ${found}, not ${error.name}`);
    }
  }
  expect(wrong).toEqual([]);
});

describe('the error tables of the specification', () => {
  /** What an error says of its row: the condition, and the message where the table has one. */
  const rowOf = ({ condition, message }: DocumentedError): string => `${condition ?? ''}; ${message}`.toLowerCase();
  const carriers = errorsOfTheSpecification.flatMap((row) =>
    row.of.map((name) => {
      const { endpoint } = endpoints.get(name)!;
      const error = endpoint.errors.find(
        (each) =>
          each.section === row.section &&
          each.status === row.status &&
          [row.says, row.message ?? ''].every((words) => rowOf(each).includes(words.toLowerCase())),
      );
      return { row, name, error };
    }),
  );

  test('every row is carried by a documented error of each endpoint to which it applies', () => {
    const missing = carriers.filter(({ error }) => !error).map(({ row, name }) => `${name}: ${row.status} ${row.says}`);
    expect(missing).toEqual([]);
    expect(carriers.filter(({ row, error }) => row.code !== undefined && row.code !== error?.code)).toEqual([]);
  });

  test('every documented error carries a row of these tables, or names another section', () => {
    const carried = new Set(carriers.map(({ name, error }) => `${name}: ${error?.message}`));
    const others = everyEndpoint.flatMap(({ name, endpoint }) =>
      endpoint.errors
        .filter(({ section = 'Errors, none' }) => section.startsWith('Errors, '))
        .map(({ message }) => `${name}: ${message}`),
    );
    expect(others.filter((each) => !carried.has(each))).toEqual([]);
  });

  test.each(forms)('its words in %s have the class of their row', (_, body) => {
    const wrong = [];
    for (const { row, name, error } of carriers) {
      const { says, message, status, code } = row;
      const words = message ?? says;
      // A row with a code, but without a message, is known by the code.
      const sent = code !== undefined && message === undefined ? { message: says, error: code } : body(words, status);
      const found = readClassOf(name, status, sent);
      if (found !== error?.error.name) wrong.push(`${name} ${status} "${words}": ${found}`);
    }
    expect(wrong).toEqual([]);
  });
});
