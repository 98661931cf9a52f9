import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stubbed } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const question = '{"id":42,"status":"UNANSWERED","text":"a"}';
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const full = (body: string, start = head): string =>
  `${start}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const failing = (status: string, body = '{}'): string => full(body, `HTTP/1.1 ${status}\r\n`);
const packed = (encoding: string, body: Uint8Array): (string | Uint8Array)[] => [
  `${head}content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`,
  body,
];

/** A server that writes bytes for the nth request of a connection. */
async function rawServer(respond: (socket: Socket, turn: number) => void): Promise<string> {
  let turn = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (String(data).includes(' HTTP/1.1\r\n')) respond(socket, (turn += 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read = (client: SellerClient): PromiseLike<unknown> => client.questions.get({ question_id: 42 });
const write = (client: SellerClient): PromiseLike<unknown> =>
  client.questions.answer({ question_id: 42, text: 'Yes, there is.' });
const download = async (client: SellerClient): Promise<number> => {
  const file = await client.messages.download({ site_id: 'MLA', attachment_id: 'a' });
  return (await file.arrayBuffer()).byteLength;
};
const delivered = expect.objectContaining({ id: 42 }) as object;

type Row = readonly [
  what: string,
  act: (client: SellerClient) => PromiseLike<unknown>,
  parts: readonly (string | Uint8Array)[],
  expected: unknown,
];

const rows: readonly Row[] = [
  ['early hints', read, ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', full(question)], delivered],
  ['500 interim responses', read, ['HTTP/1.1 102 Processing\r\n\r\n'.repeat(500), full(question)], delivered],
  ['no reason phrase', read, [full(question, 'HTTP/1.1 200\r\n')], delivered],
  [
    'chunks with extensions and trailers',
    read,
    [
      `${head}transfer-encoding: chunked\r\n\r\n${question.length.toString(16)};a=b\r\n${question}\r\n0\r\nx: 1\r\n\r\n`,
    ],
    delivered,
  ],
  ['a byte order mark', read, [full(`\ufeff${question}`)], delivered],
  ['another media type', read, [full(question, 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n')], delivered],
  ['gzip in two parts', read, packed('gzip', Buffer.concat([gzipSync('{"id"'), gzipSync(':42}')])), delivered],
  ['gzip in gzip', read, packed('gzip, gzip', gzipSync(gzipSync(question))), delivered],
  ['an encoding that nobody knows', read, packed('aws-chunked', Buffer.from(question)), delivered],
  ['two lengths', read, [`${head}content-length: 5\r\n${full(question, '')}`], { name: 'ConnectionError' }],
  [
    'two lengths, to a write',
    write,
    [`${head}content-length: 5\r\n${full('{}', '')}`],
    { name: 'OutcomeUnknownError' },
  ],
  ['204', read, ['HTTP/1.1 204 No Content\r\n\r\n'], { name: 'UnexpectedResponseError', status: 204 }],
  ['304', read, ['HTTP/1.1 304 Not Modified\r\n\r\n'], { name: 'ApiError', status: 304 }],
  ['a status of 999', write, [failing('999 What')], { name: 'ApiError', status: 999 }],
  [
    'an error page without text',
    write,
    [failing('511 Network Authentication Required', '<html></html>')],
    { name: 'ServerError', message: expect.stringContaining('failed with 511: the service gave no reason') as string },
  ],
  ['a login page', write, [full('<html>log in</html>')], { name: 'UnexpectedResponseError' }],
  [
    'a part of a file that nobody asked for',
    download,
    ['HTTP/1.1 206 Partial\r\ncontent-range: bytes 0-4/10\r\n' + full('12345', '')],
    { name: 'ConnectionError', message: expect.stringContaining('broke off after 5 of 10 bytes') as string },
  ],
  ['a redirect of a file to disk', download, [failing('302 F\r\nlocation: file:///etc/hosts', '')], { name: /Error$/ }],
  ['__proto__ in a body', read, [full('{"id":42,"__proto__":{"polluted":1}}')], delivered],
  ['names of functions in a body', read, [full('{"id":42,"constructor":1,"toString":2}')], delivered],
];

describe.each(transports)('an odd response over %s', (_, options) => {
  const clientOf = (baseUrl: string): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, timeoutMs: 600_000, ...options });

  test.each(rows)('%s', async (_what, act, parts, expected) => {
    const url = await rawServer((socket) => {
      for (const part of parts) socket.write(part);
    });
    const result: unknown = await Promise.resolve(act(clientOf(url))).catch((error: unknown) => error);
    const { name } = (expected ?? {}) as { name?: unknown };
    if (name instanceof RegExp) expect((result as Error).name).toMatch(name);
    else if (expected === delivered) expect(result).toEqual(delivered);
    else expect(result).toMatchObject(expected as object);
  });

  test('bytes after a response are not the response to the next call', async () => {
    const url = await rawServer((socket, turn) => {
      socket.write(turn === 1 ? full(question) + full('{"id":666,"text":"poison"}') : full(question));
    });
    const client = clientOf(url);
    await read(client);
    await sleep(20);
    expect(await read(client)).toMatchObject({ id: 42 });
  });
});

test('a download with a secret header follows no redirect to what is not HTTP', async () => {
  const location = 'data:text/plain,hello';
  const { sellerClient, sent } = stubbed([() => new Response(null, { status: 302, headers: { location } })], {
    headers: { 'x-api-key': 'a secret' },
  });
  await expect(download(sellerClient)).rejects.toMatchObject({ status: 302 });
  expect(sent).toHaveLength(1);
});
