import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createRandom } from '../../src/testing/random.ts';
import { listen } from '../../tests/support/listen.ts';
import type { Listening } from '../../tests/support/listen.ts';
import { inParallel, pick } from './workload.ts';
import type { Scale, Subject } from './workload.ts';

export interface ByteResult {
  readonly responses: number;
  readonly delivered: number;
  readonly failed: number;
  /** Rejected with something that is no error of the library, or reported a write that arrived as never carried out. */
  readonly wrong: string[];
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const text = JSON.stringify({ id: 42, text: 'Hay stock?', status: 'UNANSWERED', answer: { text: 'Sí' } });
const gzipped = gzipSync(text);
const templates = [
  Buffer.from(`${ok}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
  Buffer.from(`${ok}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`),
  Buffer.from(`${ok}connection: close\r\n\r\n${text}`),
  Buffer.from(`HTTP/1.0 200 OK\r\n\r\n${text}`),
  Buffer.from(`HTTP/1.1 404 Not Found\r\ncontent-length: 17\r\n\r\n{"message":"no."}`),
  Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'),
  Buffer.from(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}content-length: 9\r\n\r\n{"id":42}`),
  Buffer.concat([Buffer.from(`${ok}content-encoding: gzip\r\ncontent-length: ${gzipped.length}\r\n\r\n`), gzipped]),
];

/** Damages a response in one or more places. */
function damaged(template: Buffer, random: () => number): Buffer {
  let bytes = Buffer.from(template);
  for (let times = Math.floor(random() * 4); times >= 0; times -= 1) {
    const at = Math.floor(random() * bytes.length);
    const end = at + Math.floor(random() * 12);
    bytes = pick(
      [
        () => Buffer.concat([bytes.subarray(0, at), Buffer.of(random() * 256), bytes.subarray(at + 1)]),
        () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]),
        () => Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]),
        () =>
          Buffer.concat([
            bytes.subarray(0, at),
            Buffer.from(pick(['\r\n', '\0', '0', ': ', 'é'], random)),
            bytes.subarray(at),
          ]),
        () => bytes.subarray(0, at),
        () => Buffer.concat([bytes, pick(templates, random)]),
      ],
      random,
    )();
  }
  return bytes;
}

/** Sends writes to a service that does each of them and responds with damaged bytes, in random pieces. */
export async function misbehave({ library, transport }: Subject, { count, seed }: Scale): Promise<ByteResult> {
  const random = createRandom(seed);
  const arrived = new Set<string>();
  const service = await byteService((body, socket) => {
    arrived.add(body);
    respond(socket, damaged(pick(templates, random), random), random);
  });
  const result = { responses: count, delivered: 0, failed: 0, wrong: [] as string[] };
  const seller = new library.SellerClient({
    baseUrl: service.url,
    accessToken: 'token-1',
    timeoutMs: 300,
    maxRetries: 0,
    ...transport,
  });
  await inParallel(count, 32, async (n) => {
    try {
      await seller.questions.answer({ question_id: n + 1, text: 'Yes.' });
      result.delivered += 1;
    } catch (error) {
      result.failed += 1;
      const isConnectionError = (error as Error).name === 'ConnectionError' || (error as Error).name === 'TimeoutError';
      const hasArrived = arrived.has(JSON.stringify({ question_id: n + 1, text: 'Yes.' }));
      if (!(error instanceof library.SellerError) || (isConnectionError && hasArrived))
        result.wrong.push(String(error));
    }
  });
  await service.close();
  return result;
}

function respond(socket: Socket, bytes: Buffer, random: () => number): void {
  const half = Math.floor(random() * bytes.length);
  socket.write(bytes.subarray(0, half));
  setTimeout(() => {
    const isLast = random() < 0.7;
    if (random() < 0.1) socket.resetAndDestroy();
    else if (isLast) socket.end(bytes.subarray(half));
    else socket.write(bytes.subarray(half));
  }, random() * 4);
}

function byteService(act: (body: string, socket: Socket) => void): Promise<Listening> {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += String(bytes);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity)) return;
      received = '';
      act(body, socket);
    });
  });
  return listen(server);
}
