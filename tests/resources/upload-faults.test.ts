import { readlinkSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import FormData from 'form-data';
import { SellerClient } from 'marketplace-seller-sdk';
import type { endpoints, Input } from 'marketplace-seller-sdk/schemas';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json, startServer } from '../support/http-server.ts';
import { rawServer } from '../support/raw-server.ts';
import { errorOf, stubbed, receiving } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

type UploadInput = Input<typeof endpoints.messages.upload>;

const megabyte = 2 ** 20;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upload-faults-'));
  path = join(folder, 'file.pdf');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** How many descriptors of this process are open for the file; 0 where the system does not say. */
function descriptors(): number {
  const all = process.platform === 'linux' ? readdirSync('/proc/self/fd') : [];
  return all.filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  }).length;
}

/** Records the forms that are piped, with what they are piped into. */
function spyOnPipe(): () => (readonly [form: FormData, to: unknown])[] {
  const { mock } = vi.spyOn(FormData.prototype, 'pipe');
  return () => mock.calls.map(([to], at) => [mock.contexts[at] as FormData, to]);
}

/** A server that reads the headers of a request, and nothing else. */
function silentServer(headers: () => void): Promise<string> {
  return rawServer(
    (to) => {
      to.pause();
      headers();
    },
    { waitsFor: 'headers' },
  );
}

interface Source {
  readonly input: UploadInput;
  /** Whether the source is closed. */
  readonly closed: () => boolean;
}

/** Sources of 20 MB, which no buffer holds. */
const sources: Readonly<Record<string, () => Source | Promise<Source>>> = {
  'a path': async () => {
    await writeFile(path, Buffer.alloc(20 * megabyte));
    return { input: { site_id: 'MLA', file: path }, closed: () => descriptors() === 0 };
  },
  'a Node stream': () => {
    const file = new Readable({ read: () => file.push(Buffer.alloc(megabyte)) });
    return { input: streamed(file), closed: () => file.destroyed };
  },
  'a web stream': () => {
    const cancel = vi.fn();
    const pull = (to: ReadableStreamDefaultController): void => to.enqueue(new Uint8Array(megabyte));
    return { input: streamed(new ReadableStream({ pull, cancel })), closed: () => cancel.mock.calls.length === 1 };
  },
  'a generator': () => {
    let isClosed = false;
    const file = (async function* () {
      try {
        for (;;) yield await Promise.resolve(new Uint8Array(megabyte));
      } finally {
        isClosed = true;
      }
    })();
    return { input: streamed(file), closed: () => isClosed };
  },
  'a silent Node stream': () => {
    const file = new Readable({ read: () => undefined });
    return { input: streamed(file), closed: () => file.destroyed };
  },
  'a silent web stream': () => {
    const cancel = vi.fn();
    return { input: streamed(new ReadableStream({ cancel })), closed: () => cancel.mock.calls.length === 1 };
  },
};

function streamed(file: Readable | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): UploadInput {
  return { site_id: 'MLA', file, filename: 'a.pdf', size: 20 * megabyte };
}

describe.each(transports)('over %s', (name, transport) => {
  function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient {
    return new SellerClient({ baseUrl, maxRetries: 0, maxRetryDelayMs: 1, ...transport, ...options });
  }

  test('the form of form-data is sent as it is', async () => {
    const piped = spyOnPipe();
    const server = await startServer((to) => json(to, 201, { id: 'a' }));
    const file = Buffer.from('%PDF\r\n\r\n--x--\r\n\r\n');
    const input = { site_id: 'MLA', file, filename: 'a "b" ñ.pdf' } as const;
    await clientOf(server.url).messages.upload(input);
    expect(piped()).toHaveLength(1);
    const [form, to] = piped()[0]!;
    expect(to).toBeInstanceOf(name === 'node:http' ? ClientRequest : PassThrough);
    const { headers, body } = server.received[0]!;
    expect(headers['content-type']).toBe(form.getHeaders()['content-type']);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    const boundary = form.getBoundary();
    expect(body).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="file"; filename="a %22b%22 ñ.pdf"',
        'Content-Type: application/pdf',
        '',
        file.toString(),
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
  });

  test('a retry sends a new form of the whole file', async () => {
    await writeFile(path, Buffer.alloc(300_000, 'x'));
    const piped = spyOnPipe();
    const server = await startServer((to, turn) =>
      turn < 3 ? json(to, 429, {}, { 'retry-after': '0' }) : json(to, 201, { id: 'a' }),
    );
    await clientOf(server.url, { maxRetries: 2 }).messages.upload({ site_id: 'MLA', file: path });
    expect(server.received.map(({ body }) => body.split('x').length)).toEqual([300_001, 300_001, 300_001]);
    expect(new Set(piped().map(([form]) => form)).size).toBe(3);
    expect(new Set(server.received.map(({ headers }) => headers['content-type'])).size).toBe(3);
    await expect.poll(descriptors).toBe(0);
  });

  test.each<[string, () => UploadInput['file'], number]>([
    ['a Node stream', () => Readable.from([Buffer.alloc(10)]), 10],
    ['a web stream', () => new Blob(['0123456789']).stream(), 10],
  ])('%s is not sent twice', async (_, open, size) => {
    const server = await startServer((to) => json(to, 429, {}, { 'retry-after': '0' }));
    const input = { site_id: 'MLA', file: open(), filename: 'a.pdf', size } as UploadInput;
    const call = clientOf(server.url, { maxRetries: 3 }).messages.upload(input);
    expect(await errorOf(call)).toMatchObject({ status: 429, attempts: 1 });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['at once', 0],
    ['midway', 300_000],
  ])('a stream that fails %s ends the request, and is destroyed', async (_, sentBefore) => {
    const server = await startServer((to) => json(to, 201, { id: 'a' }));
    const broken = new Error('the disk is gone');
    const file = new Readable({
      read() {
        if (sentBefore > 0 && this.readableLength === 0 && !this.readableDidRead) this.push(Buffer.alloc(sentBefore));
        else this.destroy(broken);
      },
    });
    const input = { site_id: 'MLA', file, filename: 'a.pdf', size: 400_000 } as const;
    expect(await errorOf(clientOf(server.url).messages.upload(input))).toMatchObject({
      name: 'InvalidInputError',
      cause: broken,
    });
    expect(file.destroyed).toBe(true);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test.each<[string, () => Promise<void>, string]>([
    ['shrinks', () => truncate(path, 100), 'bytes instead of the stated 5242880'],
    ['grows', () => appendFile(path, 'more'), 'more bytes than the stated 5242880'],
    ['is removed', () => rm(path).then(() => undefined), 'cannot be read (ENOENT)'],
  ])('a file that %s after it was measured is not stored', async (_, change, message) => {
    await writeFile(path, Buffer.alloc(5 * megabyte));
    const server = await startServer((to) => json(to, 201, { id: 'a' }));
    // The limiter is asked after the file was measured and before it is read.
    const limiter = { acquire: change };
    const error = await errorOf(clientOf(server.url, { limiter }).messages.upload({ site_id: 'MLA', file: path }));
    expect(error).toMatchObject({ name: 'InvalidInputError', message: expect.stringContaining(message) as string });
    await expect.poll(() => [server.sockets.size, descriptors()]).toEqual([0, 0]);
  });

  test.each(Object.keys(sources))('an abort while %s is sent leaves nothing open', async (kind) => {
    const { closed, input } = await sources[kind]!();
    const aborter = new AbortController();
    const url = await silentServer(() => aborter.abort());
    const error = await errorOf(clientOf(url).messages.upload(input, { signal: aborter.signal }));
    expect(error.name).toBe('AbortError');
    await expect.poll(closed).toBe(true);
  });

  test.each(Object.keys(sources))(
    'a connection that breaks while %s is sent is the error, and closes it',
    async (kind) => {
      const { closed, input } = await sources[kind]!();
      const url = await rawServer((to) => to.resetAndDestroy(), { waitsFor: 'headers' });
      const error = await errorOf(clientOf(url).messages.upload(input));
      expect(error.name).toBe('OutcomeUnknownError');
      await expect.poll(closed).toBe(true);
    },
  );

  test('an early 413 ends the upload, and closes the file', async () => {
    await writeFile(path, Buffer.alloc(20 * megabyte));
    const url = await rawServer(
      (to) => {
        to.pause();
        to.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
      },
      { waitsFor: 'headers' },
    );
    const error = await errorOf(clientOf(url).messages.upload({ site_id: 'MLA', file: path }));
    expect(error).toMatchObject({ name: 'FileTooLargeError', status: 413 });
    await expect.poll(descriptors).toBe(0);
  });

  test('a server that reads nothing is not read ahead of', async () => {
    let read = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const file = new Readable({
      read() {
        read += chunk.length;
        this.push(chunk);
      },
    });
    const aborter = new AbortController();
    const url = await silentServer(() => undefined);
    const input = { site_id: 'MLA', file, filename: 'a.pdf', size: 25 * megabyte } as const;
    const call = errorOf(clientOf(url).messages.upload(input, { signal: aborter.signal }));
    // Until no more is read: the buffers of both sockets are full.
    let before = -1;
    await expect.poll(() => (read > 0 && read === before) || ((before = read), false), { interval: 50 }).toBe(true);
    expect(read).toBeLessThan(16 * megabyte);
    aborter.abort();
    await call;
  });
});

/** More than all buffers of a request can hold. */
const size = 5 * megabyte;

test.each<[string, () => object, boolean]>([
  ['bytes can still be read', () => ({ file: Buffer.alloc(size), filename: 'a.pdf' }), true],
  ['a Blob can still be read', () => ({ file: new Blob([Buffer.alloc(size)]), filename: 'a.pdf' }), true],
  ['a file on disk ends with an error', () => ({ file: path }), false],
  [
    'a web stream ends with an error',
    () => ({ file: new Blob([Buffer.alloc(size)]).stream(), filename: 'a.pdf', size }),
    false,
  ],
])('a copy of a request, read after the call: %s', async (_, source, isWhole) => {
  await writeFile(path, Buffer.alloc(size));
  let copy: Request | undefined;
  const { sellerClient } = stubbed([], {
    fetch: receiving((request) => {
      copy = request.clone();
      return Promise.resolve(Response.json({}, { status: 404 }));
    }),
  });
  await errorOf(sellerClient.messages.upload({ site_id: 'MLA', ...source() } as UploadInput));
  const length = copy!.arrayBuffer().then(({ byteLength }) => byteLength);
  if (isWhole) expect(await length).toBe(Number(copy!.headers.get('content-length')));
  else await expect(length).rejects.toThrow();
  expect(descriptors()).toBe(0);
});
