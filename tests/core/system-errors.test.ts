import { Agent as HttpAgent } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { ConnectionError, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions, SellerError } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rawServer } from '../support/raw-server.ts';
import { undici } from '../support/undici.ts';

const { Agent: UndiciAgent, getGlobalDispatcher, setGlobalDispatcher } = undici;

/** Opens the connections of a request. */
type Open = (port: number, done: (error: Error | null, socket?: Socket) => void) => void;

/** The client options with which each transport opens its connections by `open`. */
function transportsThat(open: Open): Partial<ClientOptions>[] {
  class InjectingAgent extends HttpAgent {
    override createConnection(
      { port }: { port?: string | number | null | undefined },
      done?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      open(Number(port), done as Parameters<Open>[1]);
    }
  }
  const before = getGlobalDispatcher();
  const dispatcher = new UndiciAgent({
    connect: ({ port }, done) => open(Number(port), done as Parameters<Open>[1]),
  });
  setGlobalDispatcher(dispatcher);
  onTestFinished(() => setGlobalDispatcher(before));
  return [{ agent: new InjectingAgent() }, { fetch: globalThis.fetch }];
}

/** How a read and a write end over both transports, which must be the same. */
async function outcome(baseUrl: string, open: Open): Promise<{ read: SellerError; write: SellerError }> {
  const [http, fetch] = await Promise.all(
    transportsThat(open).map(async (options) => {
      const { questions } = new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...options });
      const [read, write] = await Promise.all([
        questions.get({ question_id: 42 }).catch((error: unknown) => error as SellerError),
        questions.answer({ question_id: 42, text: 'Yes.' }).catch((error: unknown) => error as SellerError),
      ]);
      return { read: read as SellerError, write: write as SellerError };
    }),
  );
  const words = (of: typeof http): unknown =>
    Object.values(of!).map(({ name, message, status }: SellerError & { status?: number }) => ({
      name,
      message,
      status,
    }));
  expect(words(http)).toEqual(words(fetch));
  return http!;
}

const systemError = (code: string, fields: object = {}): Error => Object.assign(new Error(code), { code, ...fields });
const errno = Object.keys(constants.errno);

describe('a system error has the same class and words over both transports', () => {
  test.each([...errno, 'ENOTFOUND', 'EAI_AGAIN'])('%s while it connects: never sent', async (code) => {
    const syscall = code.startsWith('EAI') || code === 'ENOTFOUND' ? 'getaddrinfo' : 'connect';
    const { read, write } = await outcome('http://127.0.0.1:29999', (_, done) => {
      process.nextTick(done, systemError(code, { syscall }));
    });
    for (const error of [read, write]) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      expect(error.message).toContain(`fetch failed (${code}); `);
    }
  });

  test.each([
    ['ECONNRESET', 'read'],
    ['ECONNRESET', 'write'],
    ['EPIPE', 'write'],
    ['ETIMEDOUT', 'read'],
    ['EIO', 'read'],
    // These stand for a request that was never sent only while it connects.
    ['ECONNREFUSED', 'read'],
    ['EHOSTUNREACH', 'read'],
    ['ENETUNREACH', 'write'],
    ['EHOSTDOWN', 'write'],
    ['ENETDOWN', 'read'],
    ['EADDRINUSE', 'read'],
    ['EACCES', 'write'],
  ])('%s by %s while it waits: the outcome of a write is unknown', async (code, syscall) => {
    const { open, breakAll } = realSockets();
    const url = await rawServer((_, turn) => {
      if (turn === 4) breakAll(systemError(code, { syscall }));
    });
    const { read, write } = await outcome(url, open);
    expect(read.message).toContain(`got no response: fetch failed (${code})`);
    expect(write).toBeInstanceOf(OutcomeUnknownError);
  });
});

describe('an error of the TLS handshake has the same class and words over both transports', () => {
  // Those of OpenSSL's verification that Node names, then those of the handshake itself.
  const codes = [
    ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['UNABLE_TO_GET_CRL', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'],
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_UNTRUSTED', 'CERT_REJECTED', 'CERT_REVOKED'],
    ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_SIGNATURE_FAILURE', 'CERT_CHAIN_TOO_LONG', 'CRL_HAS_EXPIRED'],
    ...['CRL_NOT_YET_VALID', 'CRL_SIGNATURE_FAILURE', 'ERROR_IN_CERT_NOT_AFTER_FIELD', 'INVALID_CA', 'INVALID_PURPOSE'],
    ...['PATH_LENGTH_EXCEEDED', 'HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ...['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_NO_PROTOCOLS_AVAILABLE'],
    ...['ERR_SSL_NO_CIPHERS_AVAILABLE', 'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED', 'ERR_SSL_DH_KEY_TOO_SMALL'],
    ...['ERR_SSL_EE_KEY_TOO_SMALL', 'ERR_SSL_CA_MD_TOO_WEAK', 'ERR_SSL_HTTP_REQUEST'],
    ...['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
    ...['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'],
    ...['ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY'],
  ];
  test.each(codes)('%s: never sent, with a remedy', async (code) => {
    const { read, write } = await outcome('http://127.0.0.1:29999', (_, done) => {
      process.nextTick(done, systemError(code));
    });
    for (const error of [read, write]) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      expect(error.message).toMatch(/; the (certificate|server)/);
    }
  });
});

function realSockets(): { open: Open; breakAll: (error: Error) => void } {
  const sockets: Socket[] = [];
  return {
    open: (port, done) => {
      const socket = connect(port, '127.0.0.1', () => done(null, socket));
      sockets.push(socket);
    },
    breakAll: (error) => {
      for (const socket of sockets) socket.destroy(error);
    },
  };
}
