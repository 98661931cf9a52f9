import { Readable } from 'node:stream';
import { InvalidInputError } from 'marketplace-seller-sdk';
import type { endpoints, Input } from 'marketplace-seller-sdk/schemas';
import type { ClientOptions, UploadOptions, UploadProgress } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fileNameOf } from '../../src/core/files/file-source.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, receiving } from '../support/stubs.ts';

type UploadInput = Input<typeof endpoints.messages.upload>;

/** Uploads to a service that reads the form, and returns the file in it. */
async function received(input: object, options: UploadOptions = {}): Promise<File> {
  let file: File | undefined;
  const { sellerClient } = stubbed([
    async (request) => {
      file = (await request.formData()).get('file') as File;
      return Response.json({ id: 'stored' });
    },
  ]);
  await sellerClient.messages.upload({ site_id: 'MLA', ...input } as UploadInput, options);
  return file!;
}

/** The error of an upload whose body the service reads to its end. */
function failure(input: object, options: UploadOptions = {}): Promise<InvalidInputError> {
  return errorOf(received(input, options));
}

const bytes = new Uint8Array(200_000).map((_, at) => at % 251);

/** A source of chunks with only the methods that are named. */
function source(chunks: readonly unknown[], more: object = {}) {
  let at = 0;
  const next = () => Promise.resolve(at < chunks.length ? { done: false, value: chunks[at++] } : { done: true });
  return { [Symbol.asyncIterator]: () => ({ next, ...more }) };
}

describe('a file to upload', () => {
  test.each<[string, object, string]>([
    ['from its extension', { file: bytes, filename: 'a.pdf' }, 'application/pdf'],
    ['as given', { file: bytes, filename: 'a.pdf', contentType: 'text/plain' }, 'text/plain'],
    ['as given, of a Blob', { file: new Blob([bytes]), filename: 'a.png', contentType: 'image/webp' }, 'image/webp'],
  ])('has its type %s', async (_, input, type) => {
    const file = await received(input);
    expect(file.type).toBe(type);
    expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0);
  });

  test.each<[string, () => object]>([
    ['a web stream', () => new Blob([bytes]).stream()],
    ['a Node stream', () => Readable.from([bytes.subarray(0, 7), bytes.subarray(7)])],
    ['an iterable without return()', () => source([bytes.subarray(0, 99), bytes.subarray(99)])],
    ['a large chunk', () => source([bytes])],
    ['chunks without bytes', () => source([new Uint8Array(), bytes, new Uint8Array()])],
  ])('may come from %s', async (_, open) => {
    const reports: UploadProgress[] = [];
    const onUploadProgress = (report: UploadProgress): void => void reports.push(report);
    const file = await received({ file: open(), filename: 'a.pdf', size: bytes.length }, { onUploadProgress });
    expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0);
    const sizes = reports.map(({ sentBytes }, at) => sentBytes - (reports[at - 1]?.sentBytes ?? 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(reports.at(-1)).toEqual({ sentBytes: bytes.length, totalBytes: bytes.length });
  });

  test('text in a stream is sent as UTF-8, and its length is in bytes', async () => {
    expect(await (await received({ file: source(['ñandú']), filename: 'a.txt', size: 7 })).text()).toBe('ñandú');
  });

  test.each<[string, readonly unknown[], number, string]>([
    ['fewer bytes', [bytes.subarray(0, 9)], 10, 'Not stored: `file` has 9 bytes instead of the stated 10'],
    ['no bytes', [], 10, 'Not stored: `file` has 0 bytes instead of the stated 10'],
    ['one byte more', [bytes.subarray(0, 11)], 10, 'Not stored: `file` has more bytes than the stated 10'],
    [
      'one byte more, apart',
      [bytes.subarray(0, 10), bytes.subarray(0, 1), bytes],
      10,
      'Not stored: `file` has more bytes than the stated 10',
    ],
  ])('with %s than stated is not stored', async (_, chunks, size, message) => {
    const stop = vi.fn(() => Promise.resolve({ done: true }));
    const onUploadProgress = vi.fn();
    const error = await failure(
      { file: source(chunks, { return: stop }), filename: 'a.pdf', size },
      { onUploadProgress },
    );
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe(message);
    expect(error.issues).toMatchObject([{ path: ['file'] }]);
    for (const [{ sentBytes }] of onUploadProgress.mock.calls as [UploadProgress][]) {
      expect(sentBytes).toBeLessThanOrEqual(size);
    }
    expect(stop).toHaveBeenCalledOnce();
  });

  test.each<[string, object]>([
    ['return() rejects', { return: () => Promise.reject(new Error('no')) }],
    [
      'return() throws',
      {
        return: () => {
          throw new Error('no');
        },
      },
    ],
  ])('whose source cannot be closed fails with the first error: %s', async (_, more) => {
    const error = await failure({ file: source([bytes, bytes], more), filename: 'a.pdf', size: bytes.length });
    expect(error.message).toContain('more bytes than');
  });

  test.each(['fails with the file', 'has no connection', 'responds 201', 'responds 413'])(
    'with fewer bytes than stated is not stored, whatever the request does: it %s',
    async (how) => {
      const fetch = vi.fn(
        receiving(async (request) => {
          const reason: unknown = await request.arrayBuffer().catch((error: unknown) => error);
          if (how.startsWith('responds')) return Response.json({ id: 'stored' }, { status: Number(how.slice(9)) });
          throw how === 'has no connection' ? networkFault('ECONNREFUSED') : reason;
        }),
      );
      const { sellerClient } = stubbed([], { fetch });
      const upload = { site_id: 'MLA', file: source([bytes]) as unknown, filename: 'a.pdf', size: bytes.length + 1 };
      const error = await errorOf(sellerClient.messages.upload(upload as UploadInput));
      expect(error.name).toBe('InvalidInputError');
      expect(error.message).toContain('`file` has 200000 bytes instead of the stated 200001');
      expect(fetch).toHaveBeenCalledOnce();
    },
  );

  test.each<[string, (close: () => void) => unknown]>([
    ['a Node stream', (destroy) => new Readable({ read: () => undefined, destroy })],
    ['a web stream', (cancel) => new ReadableStream({ cancel })],
    ['an iterable', (close) => source([bytes], { return: close })],
  ])('from %s is closed by an attempt that does not read it', async (_, open) => {
    const outcomes: [() => Promise<Response>, string][] = [
      [() => Promise.reject(networkFault('ECONNREFUSED')), 'ConnectionError'],
      [() => Promise.resolve(Response.json({}, { status: 429 })), 'RateLimitError'],
    ];
    for (const [fetch, name] of outcomes) {
      const close = vi.fn();
      const { sellerClient } = stubbed([], { fetch });
      const upload = { site_id: 'MLA', file: open(close), filename: 'a.pdf', size: 10 } as UploadInput;
      expect((await errorOf(sellerClient.messages.upload(upload))).name).toBe(name);
      expect(close).toHaveBeenCalledOnce();
    }
  });

  test.each<[string, () => unknown]>([
    ['a web stream', () => new ReadableStream({ pull: (controller) => controller.error() })],
    ['the same with null', () => new ReadableStream({ pull: (controller) => controller.error(null) })],
  ])('from %s that fails without a reason was not stored', async (_, open) => {
    const { sellerClient } = stubbed([], {
      fetch: receiving(async (request) => {
        await request.arrayBuffer();
        return Response.json({ id: 'stored' });
      }),
    });
    const upload = { site_id: 'MLA', file: open(), filename: 'a.pdf', size: 10 } as UploadInput;
    const error = await errorOf(sellerClient.messages.upload(upload));
    expect(error.name).toBe('InvalidInputError');
    expect(error.message).toContain('`file` cannot be read (without a reason)');
  });

  test.each<[string, Partial<ClientOptions>]>([
    ['the limiter rejects it', { limiter: { acquire: () => Promise.reject(new Error('no')) } }],
    ['there is no token', { accessToken: () => Promise.reject(new Error('no')) }],
    // real: it waits for ever.
    ['its deadline ends in the queue', { limiter: { acquire: () => new Promise(() => undefined) }, deadlineMs: 10 }],
  ])('from a stream is closed if the call ends before an attempt: %s', async (_, options) => {
    const { sellerClient, sent } = stubbed([], options);
    const file = new Readable({ read: () => undefined });
    await errorOf(sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 10 }));
    expect([file.destroyed, sent.length]).toEqual([true, 0]);
  });

  test('from a stream is closed if the call is aborted while it is opened', async () => {
    const controller = new AbortController();
    const file = new Readable({ read: () => undefined });
    const upload = { site_id: 'MLA', file, filename: 'a.pdf', size: 10 } as const;
    const error = errorOf(stubbed([]).sellerClient.messages.upload(upload, { signal: controller.signal }));
    controller.abort();
    expect((await error).name).toBe('AbortError');
    await expect.poll(() => file.destroyed).toBe(true);
  });

  test('from a stream that has another reader does not hide why an attempt failed', async () => {
    const file = new Blob([bytes]).stream();
    file.getReader();
    const { sellerClient } = stubbed([], { fetch: () => Promise.reject(networkFault('ECONNREFUSED')) });
    const error = await errorOf(sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 10 }));
    expect(error.name).toBe('ConnectionError');
  });

  test('may take longer than `timeoutMs` in all, but not between two chunks', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const upload = (pauses: readonly number[]) => {
      const file = Readable.from(
        (async function* () {
          for (const ms of pauses) {
            await pause(ms);
            yield bytes.subarray(0, 10);
          }
        })(),
      );
      return received({ file, filename: 'a.pdf', size: 10 * pauses.length }, { timeoutMs: 100 });
    };
    expect((await advanceUntilSettled(upload([60, 60, 60]))).size).toBe(30);
    await expect(advanceUntilSettled(upload([60, 150]))).rejects.toThrow('got no response within 100 ms');
  });

  test('in the form of the platform is reported as sent when the service has accepted it', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    const reports: number[] = [];
    const onUploadProgress = ({ sentBytes }: UploadProgress): void => void reports.push(sentBytes);
    const { sellerClient } = stubbed([Response.json({}, { status: 400 }), Response.json({ id: 'stored' })]);
    const upload = () =>
      sellerClient.messages.upload({ site_id: 'MLA', file: bytes, filename: 'a.pdf' }, { onUploadProgress });
    await errorOf(upload());
    expect(reports).toEqual([0]);
    await upload();
    expect(reports).toEqual([0, 0, bytes.length]);
  });

  test('of a web stream is cancelled when it is not read to its end', async () => {
    const cancel = vi.fn();
    const file = new ReadableStream({ pull: (controller) => controller.enqueue(bytes), cancel });
    await failure({ file, filename: 'a.pdf', size: 10 });
    expect(cancel).toHaveBeenCalledOnce();
  });

  test('that cannot be read has the code of the error, or its message', async () => {
    for (const [cause, message] of [
      [Object.assign(new Error('read failed'), { code: 'EIO' }), 'EIO'],
      [new Error('read failed'), 'read failed'],
    ] as const) {
      const file = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }) };
      const error = await failure({ file, filename: 'a.pdf', size: 10 });
      expect(error).toMatchObject({ message: `Not sent: \`file\` cannot be read (${message})`, cause });
      expect(error.issues).toMatchObject([{ path: ['file'] }]);
    }
  });

  test('may have exactly the length that the service takes', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'stored' })]);
    const upload = (length: number) =>
      sellerClient.messages.upload({ site_id: 'MLA', file: new Blob([new Uint8Array(length)]), filename: 'a.pdf' });
    await upload(25 * 2 ** 20);
    expect((await errorOf(upload(25 * 2 ** 20 + 1))).message).toContain('an upload takes at most 26214400');
    expect(sent).toHaveLength(1);
  });
});

test.each<[unknown, string | undefined]>([
  ['a/C:\\b.pdf', 'C:\\b.pdf'],
  ['C:\\a/b.pdf', 'b.pdf'],
  ['C:/a\\b.pdf', 'b.pdf'],
  [new URL('file:///home/ana/mi%20factura.pdf'), 'mi factura.pdf'],
  [new URL('file:///home/ana/100%.pdf'), undefined],
  [new File([], 'a.pdf'), 'a.pdf'],
  [{ name: '' }, undefined],
  [{ name: 7 }, undefined],
  [null, undefined],
  [undefined, undefined],
])('the name of %o is %s', (file, name) => {
  expect(fileNameOf({ file })).toBe(name);
});

test.each<[string, object]>([
  ['an object with a size', { size: 5 }],
  ['an object with arrayBuffer()', { arrayBuffer: () => new ArrayBuffer(5) }],
  ['null', { file: null }],
])('%s is no file', async (_, file) => {
  const error = await failure({ file, filename: 'a.pdf' });
  expect(error.issues).toMatchObject([
    { path: ['file'], message: expect.stringContaining('takes a path, bytes, a Blob') as string },
  ]);
});

test('the 401 of an upload from a stream says what can be sent again', async () => {
  const rejected = (): Response => Response.json({ message: 'invalid token' }, { status: 401 });
  const upload = async (file: UploadInput['file']): Promise<string> => {
    const { sellerClient } = stubbed([rejected], { accessToken: () => 'token-1' });
    return (await errorOf(sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 5 }))).message;
  };
  const remedy = 'with a path, bytes or a Blob as `file`, the request is sent again with a new token';
  expect(await upload(new Blob(['bytes']).stream())).toContain(remedy);
  expect(await upload(new Blob(['bytes']))).not.toContain('again');
  expect(await upload(new TextEncoder().encode('bytes'))).not.toContain('again');
});
