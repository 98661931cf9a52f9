import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  ConnectionError,
  FileStorageError,
  InvalidInputError,
  RequestAbortedError,
  SellerClient,
  TimeoutError,
} from 'marketplace-seller-sdk';
import { endpoints, type Input } from 'marketplace-seller-sdk/schemas';
import type { FileSource, UploadProgress } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { startServer } from '../support/http-server.ts';
import { errorOf } from '../support/stubs.ts';

const site_id = 'MLA';
const megabyte = 1024 * 1024;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attachments-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Bytes that differ along the way, so that a lost or doubled piece shows. */
function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 255;
  return bytes;
}

function open(): { marketplace: FakeMarketplace; sellerClient: SellerClient } {
  const marketplace = new FakeMarketplace();
  return { marketplace, sellerClient: marketplace.clientFor(marketplace.addUser({ user_id: 7 })) };
}

/** The same over HTTP, where bodies are streamed by the platform's fetch. */
async function openOnPort(): Promise<{ marketplace: FakeMarketplace; sellerClient: SellerClient }> {
  const { marketplace } = open();
  const listening = await marketplace.listen();
  onTestFinished(() => listening.close());
  const accessToken = marketplace.tokenFor({ user_id: 7 });
  return { marketplace, sellerClient: new SellerClient({ baseUrl: listening.url, accessToken }) };
}

describe('uploading a file', () => {
  const bytes = bytesOf(300_000);
  const path = (): string => join(folder, 'invoice.pdf');
  const sources: readonly (readonly [string, () => FileSource])[] = [
    ['a path', () => ({ file: path() })],
    ['a file: URL', () => ({ file: pathToFileURL(path()) })],
    ['a Buffer', () => ({ file: Buffer.from(bytes), filename: 'invoice.pdf' })],
    ['an ArrayBuffer', () => ({ file: bytes.slice().buffer, filename: 'invoice.pdf' })],
    ['a Blob', () => ({ file: new Blob([bytes]), filename: 'invoice.pdf' })],
    ['a File', () => ({ file: new File([bytes], 'invoice.pdf') })],
    ['a Node stream', () => ({ file: createReadStream(path()), filename: 'invoice.pdf', size: bytes.length })],
    ['a web stream', () => ({ file: new Blob([bytes]).stream(), filename: 'invoice.pdf', size: bytes.length })],
    [
      'pieces of a generator',
      () => ({
        file: Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]),
        filename: 'invoice.pdf',
        size: bytes.length,
      }),
    ],
  ];

  beforeEach(() => writeFile(path(), bytes));

  describe.each(sources)('an upload from %s', (_, source) => {
    test.each([
      ['in this process', () => Promise.resolve(open())],
      ['over HTTP', openOnPort],
    ])('%s arrives with its name and length and is downloaded unchanged', async (_way, opened) => {
      const { marketplace, sellerClient } = await opened();
      const { id } = await sellerClient.messages.upload({ site_id, ...source() });
      expect(marketplace.attachments.get(id)).toMatchObject({ filename: 'invoice.pdf', owner: 7, site_id });
      const file = await sellerClient.messages.download({ site_id, attachment_id: id });
      expect(file).toMatchObject({ filename: 'invoice.pdf', size: bytes.length });
      expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0);
    });
  });

  test('filename and contentType replace the name and type of a file', async () => {
    const { marketplace, sellerClient } = open();
    const { id } = await sellerClient.messages.upload({
      site_id,
      file: path(),
      filename: 'factura "A" ñ.txt',
      contentType: 'text/plain',
    });
    const file = await sellerClient.messages.download({ site_id, attachment_id: id });
    expect(file.contentType).toBe('text/plain');
    expect(Buffer.compare(marketplace.attachments.get(id)!.bytes, bytes)).toBe(0);
    await file.cancel();
  });

  test.each([
    ['application/pdf', 'application/pdf'],
    // Without a type, and with one that could start a header of its own, the extension decides.
    ['', 'text/plain'],
    ['text/html\r\nx-evil: 1', 'text/plain'],
  ])('the type %j of a blob becomes %s', async (type, sent) => {
    const { sellerClient } = open();
    const file = Object.defineProperty(new Blob([bytes]), 'type', { value: type });
    const { id } = await sellerClient.messages.upload({ site_id, file, filename: 'factura.txt' });
    const stored = await sellerClient.messages.download({ site_id, attachment_id: id });
    expect(stored.contentType).toBe(sent);
    await stored.cancel();
  });

  test('client.call() uploads like the method', async () => {
    const { marketplace, sellerClient } = open();
    const { id } = await sellerClient.call(endpoints.messages.upload, { site_id, file: bytes, filename: 'a.pdf' });
    expect(Buffer.compare(marketplace.attachments.get(id)!.bytes, bytes)).toBe(0);
  });

  test('FormData is used where there are no Node streams', async () => {
    const { marketplace, sellerClient } = open();
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    const reports: UploadProgress[] = [];
    const stream = new Blob([bytes]).stream();
    const { id } = await sellerClient.messages.upload(
      { site_id, file: stream, filename: 'invoice.pdf', size: bytes.length, contentType: 'application/pdf' },
      { onUploadProgress: (progress) => reports.push(progress) },
    );
    const again = await sellerClient.messages.upload({ site_id, file: new Blob([bytes]), filename: 'invoice.pdf' });
    expect(marketplace.attachments.get(id)).toMatchObject({ type: 'application/pdf', bytes });
    expect(Buffer.compare(marketplace.attachments.get(again.id)!.bytes, bytes)).toBe(0);
    expect(reports.map(({ sentBytes }) => sentBytes)).toEqual([0, bytes.length]);
    await expect(sellerClient.messages.upload({ site_id, file: path() })).rejects.toThrow(
      /this platform has no files; give a Blob/,
    );
  });
});

describe('a file that the service would reject is not sent', () => {
  const bytes = bytesOf(10);
  test.each<readonly [string, unknown, RegExp]>([
    ['an empty file', { file: new Uint8Array(), filename: 'a.pdf' }, /`file` is empty/],
    ['more than 25 MB', { file: new Uint8Array(25 * megabyte + 1), filename: 'a.pdf' }, /at most 26214400/],
    [
      'a stream of more than 25 MB',
      { file: Readable.from([]), filename: 'a', size: 26 * megabyte },
      /at most 26214400/,
    ],
    ['an empty Blob', { file: new Blob([]), filename: 'a.pdf' }, /`file` is empty/],
    ['a name with /', { file: bytes, filename: 'a/b.pdf' }, /contains \/ or \\/],
    ['a name with \\', { file: bytes, filename: 'a\\b.pdf' }, /contains \/ or \\/],
    ['a name with a line end', { file: bytes, filename: 'a\r\nb.pdf' }, /control character/],
    ['a blank name', { file: bytes, filename: ' ' }, /`filename` is blank/],
    ['no name', { file: bytes }, /`filename` is missing/],
    ['no file', { filename: 'a.pdf' }, /`file` is missing; it takes a value/],
    ['a number for a file', { file: 5, filename: 'a.pdf' }, /takes a path, bytes, a Blob, a Response or a stream/],
    ['a stream without its length', { file: Readable.from([bytes]), filename: 'a.pdf' }, /`size` is missing/],
    ['a length that is known anyway', { file: bytes, filename: 'a.pdf', size: 10 }, /`size` is only for a stream/],
    ['a missing site', { file: bytes, filename: 'a.pdf', site_id: undefined }, /`site_id` is missing/],
    ['a path to nothing', { file: '/no/such/file.pdf' }, /cannot be read \(ENOENT\)/],
    ['the path of a folder', { file: tmpdir() }, /something that is not a file/],
  ])('%s is not sent', async (_, given, message) => {
    const fetch = vi.fn();
    const sellerClient = new SellerClient({ baseUrl: 'https://api.example.com', fetch });
    const failure = sellerClient.messages.upload({ site_id, ...(given as object) } as Input<
      typeof endpoints.messages.upload
    >);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toBeInstanceOf(InvalidInputError);
    const { issues } = await errorOf<InvalidInputError>(failure);
    expect(issues.map(({ path }) => path)).toEqual([[/`(\w+)`/.exec(issues[0]!.message)?.[1]]]);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('an empty file on disk is not sent', async () => {
    await writeFile(join(folder, 'empty.pdf'), '');
    await expect(open().sellerClient.messages.upload({ site_id, file: join(folder, 'empty.pdf') })).rejects.toThrow(
      /is empty/,
    );
  });

  test('a wrong combination does not compile', () => {
    const { messages } = open().sellerClient;
    const [bytes, stream] = [new Uint8Array(1), Readable.from(['a'])];
    const calls = (): unknown => [
      messages.upload({ site_id, file: 'a.pdf' }),
      messages.upload({ site_id, file: bytes, filename: 'a.pdf' }),
      // @ts-expect-error -- bytes have no name
      messages.upload({ site_id, file: bytes }),
      messages.upload({ site_id, file: stream, filename: 'a.pdf', size: 1 }),
      // @ts-expect-error -- a stream has no size
      messages.upload({ site_id, file: stream, filename: 'a.pdf' }),
      // @ts-expect-error -- the site is missing
      messages.upload({ file: 'a.pdf' }),
    ];
    expect(calls).toBeTypeOf('function');
  });
});

describe('an upload that fails', () => {
  test('a stream that yields something else than bytes is reported', async () => {
    const { sellerClient } = open();
    const file = Readable.from([{ a: 1 }]) as AsyncIterable<Uint8Array>;
    const failure = sellerClient.messages.upload({ site_id, file, filename: 'a.pdf', size: 1 });
    await expect(failure).rejects.toThrow(/neither bytes nor text/);
  });

  test('a documented error of an upload has its class', async () => {
    const { marketplace, sellerClient } = open();
    marketplace.attachments.isBroken = true;
    const once = { maxRetries: 0 };
    const uploaded = sellerClient.messages.upload({ site_id, file: bytesOf(10), filename: 'a.pdf' }, once);
    await expect(uploaded).rejects.toBeInstanceOf(FileStorageError);
    const downloaded = sellerClient.messages.download({ site_id, attachment_id: 'x' }, once);
    await expect(downloaded).rejects.toBeInstanceOf(FileStorageError);
  });
});

describe('a download that fails', () => {
  /** A service that announces ten bytes, and sends five. */
  async function serviceOfFive(then: (response: ServerResponse) => void = () => undefined): Promise<SellerClient> {
    const { url } = await startServer((response) => {
      response.writeHead(200, { 'content-length': '10', 'content-disposition': 'attachment' }).write('12345');
      then(response);
    });
    return new SellerClient({ baseUrl: url });
  }

  test('a connection lost midway is an error, never a short file', async () => {
    const sellerClient = await serviceOfFive((response) => void setTimeout(() => response.destroy(), 20));
    const file = await sellerClient.messages.download({ site_id, attachment_id: 'a' });
    const path = join(folder, 'a.pdf');
    await expect(file.saveTo(path)).rejects.toBeInstanceOf(ConnectionError);
    expect(await readdir(folder)).toEqual([]);
    const again = await sellerClient.messages.download({ site_id, attachment_id: 'a' });
    await expect(again.arrayBuffer()).rejects.toThrow(/broke off after 5 of 10 bytes/);
  });

  test('a lost connection is noticed although a custom fetch reports a normal end', async () => {
    const sellerClient = new SellerClient({
      baseUrl: 'https://api.example.com',
      fetch: () => Promise.resolve(new Response('12345', { headers: { 'content-length': '10' } })),
    });
    const file = await sellerClient.messages.download({ site_id, attachment_id: 'a' });
    await expect(file.arrayBuffer()).rejects.toThrow(/broke off after 5 of 10 bytes/);
  });

  test('a silent download fails after `timeoutMs`', async () => {
    const sellerClient = await serviceOfFive();
    const read = async (): Promise<unknown> => {
      const file = await sellerClient.messages.download({ site_id, attachment_id: 'a' }, { timeoutMs: 20_000 });
      return file.arrayBuffer();
    };
    await expect(overSockets(read)).rejects.toBeInstanceOf(TimeoutError);
  });

  test('an abort ends a download at once, whether or not it is being read', async () => {
    const sellerClient = await serviceOfFive();
    const aborter = new AbortController();
    const options = { signal: aborter.signal };
    const read = await sellerClient.messages.download({ site_id, attachment_id: 'a' }, options);
    const unread = await sellerClient.messages.download({ site_id, attachment_id: 'a' }, options);
    const reading = read.arrayBuffer();
    setTimeout(() => {
      aborter.abort();
    }, 20);
    await expect(reading).rejects.toBeInstanceOf(RequestAbortedError);
    await expect(unread.arrayBuffer()).rejects.toBeInstanceOf(RequestAbortedError);
  });
});

test('a file URL with invalid encoding is an InvalidInputError', async () => {
  const { sellerClient } = open();
  const error = await errorOf(sellerClient.messages.upload({ site_id, file: new URL('file:///files/100%.pdf') }));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain('`filename`');
  const named = { site_id, file: new URL('file:///files/100%.pdf'), filename: 'a.pdf' };
  expect(await errorOf(sellerClient.messages.upload(named))).toBeInstanceOf(InvalidInputError);
});
