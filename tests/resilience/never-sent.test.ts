import { ApiError, ConnectionError, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { transports } from '../support/transports.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

const accessToken = 'APP_USR-secret-1';
const answer = { question_id: 42, text: 'Yes.' };

/** An error of the platform as `fetch` wraps it. */
function fetchFailed(cause: Error | Error[], fields: object = {}): TypeError {
  const inner = Array.isArray(cause) ? new AggregateError(cause) : cause;
  return new TypeError('fetch failed', { cause: Object.assign(inner, fields) });
}

const failed = (code: string, fields: object = {}): Error => Object.assign(new Error(code), { code, ...fields });

describe('a write that was never sent is not reported as one of unknown outcome', () => {
  test.each<readonly [string, TypeError, RegExp]>([
    ['an untrusted leaf certificate', fetchFailed(failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE')), /NODE_EXTRA_CA_CERTS/],
    ['the certificate of a company proxy', fetchFailed(failed('SELF_SIGNED_CERT_IN_CHAIN')), /NODE_EXTRA_CA_CERTS/],
    ['a server that does not speak TLS', fetchFailed(failed('ERR_SSL_WRONG_VERSION_NUMBER')), /protocol and port/],
    [
      'connect timeouts of every address',
      fetchFailed([failed('ETIMEDOUT', { syscall: 'connect' }), failed('ENETUNREACH', { syscall: 'connect' })]),
      /host and port/,
    ],
    ['too many open files', fetchFailed(failed('EMFILE')), /concurrency/],
    ['a blocked port', fetchFailed(new Error('bad port')), /port of `baseUrl`/],
    ['a header that the platform rejects', new TypeError('Headers.append: "\u0100" is invalid'), /`headers`/],
    ['a request that undici rejects', fetchFailed(failed('UND_ERR_INVALID_ARG')), /`headers`/],
    [
      'a proxy that rejects the tunnel',
      fetchFailed(failed('UND_ERR_ABORTED'), { message: 'Proxy response (407) !== 200 when HTTP Tunneling' }),
      /proxy/,
    ],
    [
      'a TLS handshake that breaks off',
      fetchFailed(failed('ECONNRESET'), {
        message: 'Client network socket disconnected before secure TLS connection was established',
      }),
      /TLS/,
    ],
  ])('%s', async (_, thrown, remedy) => {
    const { sellerClient } = stubbed([thrown], { maxRetries: 0 });
    const error = await errorOf(sellerClient.questions.answer(answer));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toMatch(remedy);
  });

  test.each<readonly [string, TypeError]>([
    ['a timeout of a connection in use', fetchFailed(failed('ETIMEDOUT', { syscall: 'read' }))],
    ['a reset', fetchFailed(failed('ECONNRESET', { syscall: 'read' }))],
    ['one of several errors', fetchFailed([failed('ECONNREFUSED'), failed('ECONNRESET')])],
    ['an error that is its own cause', circular()],
  ])('%s leaves the outcome unknown', async (_, thrown) => {
    const { sellerClient } = stubbed([thrown], { maxRetries: 0 });
    expect(await errorOf(sellerClient.questions.answer(answer))).toBeInstanceOf(OutcomeUnknownError);
  });

  test('an error of a middleware after the response leaves the outcome unknown', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 42 })], {
      middleware: [
        async ({ request }, next) => {
          await next(request);
          throw Object.assign(new Error('the cache is down'), { code: 'ECONNREFUSED' });
        },
      ],
    });
    expect(await errorOf(sellerClient.questions.answer(answer))).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  test('a server without TLS, over a real socket', async () => {
    const server = await startServer((to) => to.end('{}'));
    const baseUrl = server.url.replace('http:', 'https:');
    const error = await errorOf(new SellerClient({ baseUrl, accessToken, maxRetries: 0 }).questions.answer(answer));
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('check protocol and port of `baseUrl`');
  });

  test('a request that the platform rejects is tried once', async () => {
    const { sellerClient, sent } = stubbed([new TypeError('Headers.append: "\u0100" is invalid')], { maxRetries: 3 });
    await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(sent).toHaveLength(1);
  });
});

describe.each(transports)(
  'a redirect is an error with its status and location, and is not followed, over %s',
  (_, transport) => {
    test.each([301, 302, 303, 307, 308])('%i', async (status) => {
      const server = await startServer((to) => to.writeHead(status, { location: 'https://www.example.com/new' }).end());
      const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken });
      for (const call of [
        () => sellerClient.questions.answer(answer),
        () => sellerClient.questions.get({ question_id: 42 }),
      ]) {
        const error = await errorOf<ApiError>(call());
        expect(error).toBeInstanceOf(ApiError);
        expect(error.status).toBe(status);
        expect(error.message).toContain('`baseUrl` redirects to https://www.example.com/new; is it right?');
        expect(error.headers.get('location')).toContain('https://www.example.com/new');
      }
      expect(server.received).toHaveLength(2);
    });

    test('an upload that is redirected is not a lost write', async () => {
      const server = await startServer((to) => to.writeHead(307, { location: '/elsewhere' }).end());
      const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken });
      const call = sellerClient.messages.upload({ site_id: 'MLA', file: new Uint8Array(10), filename: 'a.pdf' });
      const error = await errorOf(call);
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      // To follow none, `fetch` is told to fail: it then does not say where to.
      expect(error.message).toMatch(/redirects .*right\?$/);
      expect(error.toCurl()).not.toContain('--data-raw');
      expect(server.received).toHaveLength(1);
    });
  },
);

function circular(): TypeError {
  const error = new TypeError('fetch failed');
  error.cause = error;
  return error;
}
