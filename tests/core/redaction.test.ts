import { inspect } from 'node:util';
import { fc } from '../support/fast-check.ts';
import { SellerError } from 'marketplace-seller-sdk';
import type { ApiError, CallEvent } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import type { Step } from '../support/stubs.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const token = 'APP_USR-123-secret';
const words = 'My private address is Calle Falsa 123, second floor';
const cookie = 'sid-cookie-77';
const secrets = new RegExp([token, 'Calle Falsa', cookie].join('|'));

/** Everything that a program could print of an error. */
function everythingOf(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [
    inspect(error, { depth: 8 }),
    String(error),
    JSON.stringify(error),
    message,
    stack,
    inspect(cause, { depth: 8 }),
    (error as SellerError).toCurl(),
  ].join('\n');
}

const leaks: [string, Step][] = [
  ['an error response that echoes everything', () => errorResponse(400)],
  ['an unauthorized that echoes the token', () => errorResponse(401)],
  ['a failing service that echoes everything', () => errorResponse(500)],
  ['a page of HTML that echoes everything', () => new Response(`<p>${token} ${words}</p>`, { status: 502 })],
  ['a success that is no JSON', () => new Response(`<p>${token} ${words}</p>`)],
  ['a network fault that echoes the token', new TypeError(`fetch failed with Bearer ${token}`)],
  [
    'a network fault that holds the request',
    Object.assign(new Error('failed'), { config: { headers: { authorization: `Bearer ${token}` }, data: words } }),
  ],
  ['a network fault whose cause echoes the token', new TypeError('fetch failed', { cause: new Error(token) })],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a fetch of the user may do that
  ['something thrown that is no error and echoes the token', () => Promise.reject(token)],
  [
    'a network fault with a code whose cause echoes the token',
    Object.assign(new Error(`read ${token}`), { code: 'ECONNRESET' }),
  ],
  [
    'a network fault that holds the Request itself',
    (request) => Promise.reject(Object.assign(new Error('x'), { request })),
  ],
];

function errorResponse(status: number): Response {
  const body = { message: `no: ${words} (${token})`, error: token, cause: [{ code: token, message: words }, words] };
  return Response.json(body, { status, headers: { 'set-cookie': cookie, 'x-echo': 'fine' } });
}

/** A log and a trace that keep everything, and the options that fill them. */
function recordEverything() {
  const recorded: unknown[] = [];
  const log = (...line: unknown[]): void => void recorded.push(line);
  const observe = (event: CallEvent): void => void recorded.push(event);
  const logger = { debug: log, info: log, warn: log, error: log };
  return {
    recorded,
    options: { accessToken: token, headers: { cookie }, maxRetries: 0, logger, tracing: { observe } },
  };
}

describe('contract 9: token, user texts and cookies are in no error, log line or trace', () => {
  test('a success that echoes everything is delivered, and nothing of it is logged', async () => {
    const { recorded, options } = recordEverything();
    const body = [{ text: words }, { id: token }];
    const { sellerClient } = stubbed([Response.json(body)], options);
    expect(await sellerClient.questions.hide({ question_id: 42 })).toEqual(body);
    expect(recorded.length).toBeGreaterThan(0);
    expect(inspect(recorded, { depth: 12 })).not.toMatch(secrets);
  });

  test.each(leaks)('nothing leaks from %s', async (_, step) => {
    const { recorded, options } = recordEverything();
    const { sellerClient } = stubbed([step], options);
    const error = await errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text: words }));
    expect(error).toBeInstanceOf(SellerError);
    expect(everythingOf(error)).not.toMatch(secrets);
    expect(recorded.length).toBeGreaterThan(0);
    expect(inspect(recorded, { depth: 12 })).not.toMatch(secrets);
  });

  test.each(['sid=SEKRET-VALUE-1; theme=dark', 'theme=dark;sid = SEKRET-VALUE-1 ;x', 'SEKRET-VALUE-1'])(
    'the value of a cookie in %s is redacted where the service repeats it alone',
    async (cookies) => {
      const body = { message: 'bad session SEKRET-VALUE-1 of the dark theme' };
      const { sellerClient } = stubbed([Response.json(body, { status: 400 })], { headers: { cookie: cookies } });
      const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
      expect(everythingOf(error)).not.toContain('SEKRET');
      expect(error.message).toContain('of the dark theme');
    },
  );

  test.each([
    'Hello,\nplease call me at home',
    'Hello\r\n\r\nplease call me at home',
    'a long first line of text\n  please call me at home',
    '\thello\u2028please call me  at  home\n',
    'hello \u200fplease call me at home',
  ])('a text of several lines is redacted in whatever form the service repeats it: %j', async (text) => {
    for (const repeated of [text, text.trim(), text.replace(/\s+/g, ' '), text.replace(/\r?\n/g, '\r\n')]) {
      const body = { message: `rejected: "${repeated}"`, cause: [{ code: 'x', message: repeated }] };
      const { sellerClient } = stubbed([() => Response.json(body, { status: 400 })]);
      const error = await errorOf<ApiError>(sellerClient.questions.ask({ item_id: 'MLA1', text }));
      expect(error.message).toMatch(/^POST \/questions failed with 400: rejected: " ?\[redacted\] ?"$/);
      expect(error.causes).toEqual([{ code: 'x', message: '[redacted]' }]);
    }
  });

  test('a text with quotes, brackets and line ends is redacted too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 16, maxLength: 300, unit: 'binary-ascii' }), async (text) => {
        // Spaces in a row become one in a message; what is left of a text may then be too short to be recognised.
        const shown = text.replace(/\s+/g, ' ').trim();
        fc.pre(shown.length >= 16 && !/[\0-\x08]/.test(text));
        const { sellerClient } = stubbed([() => Response.json({ message: `rejected: ${text}` }, { status: 400 })]);
        const error = await errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text }));
        if (error.name === 'InvalidInputError') return;
        expect(error.message).not.toContain(shown);
        expect(JSON.stringify(error)).not.toContain(JSON.stringify(text).slice(1, -1));
      }),
      { numRuns: 200 },
    );
  });
});

test('the log of a successful call holds no token', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  const query = { access_token: token };
  const { response } = await sellerClient.questions.get({ question_id: 42 }, { query }).withResponse();
  expect(response.url).toBe('https://api.test/questions/42?access_token=[redacted]');
});

test('dates, ids and addresses of machines are no phone numbers', async () => {
  const said = 'at 2026-11-05 10:00:00 order 2000001234567890 on 192.168.100.200:8080, call (011) 4555-1234';
  const { sellerClient } = stubbed([Response.json({ message: said }, { status: 400 })]);
  const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
  expect(error.message).toContain(
    'at 2026-11-05 10:00:00 order 2000001234567890 on 192.168.100.200:8080, call [redacted]',
  );
});

test('a network fault keeps its code when its secrets are redacted', async () => {
  const fault = Object.assign(new Error(`read ${token}`), { code: 'ECONNRESET' });
  const { sellerClient } = stubbed([fault], { accessToken: token, maxRetries: 0 });
  const { cause } = await errorOf(sellerClient.questions.get({ question_id: 1 }));
  expect(cause).toMatchObject({ message: 'read [redacted]', code: 'ECONNRESET' });
});

test('a very short token is not redacted inside other words', async () => {
  const { sellerClient } = stubbed([Response.json({ message: 'abc is not found' }, { status: 404 })], {
    accessToken: 'abc',
  });
  const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
  expect(error.message).toContain('abc is not found');
  expect(error.toCurl()).not.toContain('abc');
});

test('toCurl() of a request without a token shows no authorization header', async () => {
  const { sellerClient } = stubbed([new Response('{}', { status: 404 })]);
  const error = await errorOf(sellerClient.questions.get({ question_id: 1 }, { accessToken: null }));
  expect(error.toCurl()).not.toMatch(/authorization/i);
});
