import { describe, expect, test } from 'vitest';
import { connectErrorOf, networkReason } from '../../src/core/transport/connect-errors.js';

const failed = (code: unknown, fields: object = {}): Error => Object.assign(new Error('failed'), { code, ...fields });
const within = (cause: unknown): Error => new TypeError('fetch failed', { cause });
const noServer = 'check host and port of `baseUrl`';

describe('an error proves that nothing was sent', () => {
  test.each<readonly [string, unknown, string]>([
    ['without a connection', failed('ECONNREFUSED'), noServer],
    ['as the platform wraps it', within(failed('ECONNREFUSED')), noServer],
    ['deep within others', within(within(within(failed('ECONNREFUSED')))), noServer],
    ['from another realm', { code: 'ECONNREFUSED' }, noServer],
    ['without a host', failed('ENOTFOUND'), 'check the host of `baseUrl`, and DNS'],
    ['of an unknown code, while it connects', failed('EWHATEVER', { syscall: 'connect' }), noServer],
    ['of an unknown code, while it asks for the address', failed('EWHATEVER', { syscall: 'getaddrinfo' }), noServer],
    ['of the handshake', failed('CERT_HAS_EXPIRED'), 'the certificate of the server is not valid for it'],
    [
      'of a redirect',
      within(new Error('unexpected redirect')),
      'the service redirects the request; is `baseUrl` right?',
    ],
    ['of every address', within(new AggregateError([failed('ECONNREFUSED'), failed('ENETUNREACH')])), noServer],
  ])('%s', (_, error, remedy) => {
    expect(connectErrorOf(error)?.remedy).toBe(remedy);
  });

  test.each<readonly [string, unknown]>([
    ['where it is none', undefined],
    ['where it is null', null],
    ['where it is a text', 'ECONNREFUSED'],
    ['of an unknown code', failed('EWHATEVER')],
    ['of a connection in use, while it reads', failed('ECONNREFUSED', { syscall: 'read' })],
    ['of a connection in use, while it writes', failed('ECONNREFUSED', { syscall: 'write' })],
    ['whose message has the code', new Error('connect ECONNREFUSED')],
    ['whose message has the words later', new Error('found: unexpected redirect')],
    ['whose message is no text', Object.assign(new Error(), { message: 7 })],
    ['of one address of several', within(new AggregateError([failed('ECONNREFUSED'), failed('ECONNRESET')]))],
    ['of no address', within(new AggregateError([]))],
    ['too deep within others', within(within(within(within(within(failed('ECONNREFUSED'))))))],
  ])('not one %s', (_, error) => {
    expect(connectErrorOf(error)).toBeUndefined();
  });
});

describe('the reason of a network error is short, and the same for each transport', () => {
  test.each<readonly [string, Error, string]>([
    ['a code', failed('ECONNRESET'), 'ECONNRESET'],
    ['a code of undici', failed('UND_ERR_SOCKET'), 'ECONNRESET'],
    ['a code of the parser', failed('HPE_INVALID_CONSTANT'), 'the response is not valid HTTP'],
    ['a code of undici for the same', failed('UND_ERR_HEADERS_OVERFLOW'), 'the response is not valid HTTP'],
    [
      'the parser of undici',
      Object.assign(new Error('bad'), { name: 'HTTPParserError' }),
      'the response is not valid HTTP',
    ],
    ['no code', new Error('other side closed'), 'other side closed'],
    ['a code that is a number', failed(23), 'failed'],
  ])('%s', (_, error, reason) => {
    expect(networkReason(error)).toBe(reason);
  });
});
