import files from 'node:fs/promises';
import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConnectionError, InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions, Download } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { saveStream } from '../../src/core/files/node.js';
import { collectGarbage } from '../support/garbage.ts';
import { startServer } from '../support/http-server.ts';
import { rawServer } from '../support/raw-server.ts';
import { errorOf, stubbed } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const input = { site_id: 'MLA', attachment_id: 'a' };
const isWindows = process.platform === 'win32';
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'saved-')));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function downloaded(text = 'new'): Promise<Download> {
  return stubbed([new Response(text)]).sellerClient.messages.download(input);
}

describe('saveTo()', () => {
  test.skipIf(isWindows).each([0o600, 0o640, 0o755, 0o444])('keeps the mode %o of an existing file', async (mode) => {
    const path = join(folder, 'a.pdf');
    await writeFile(path, 'old');
    await chmod(path, mode);
    await (await downloaded()).saveTo(path);
    expect((await stat(path)).mode & 0o777).toBe(mode);
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  test.skipIf(isWindows)('replaces the file that a link leads to', async () => {
    const path = join(folder, 'file.pdf');
    await mkdir(join(folder, 'links'));
    await writeFile(path, 'old');
    const link = join(folder, 'links', 'link.pdf');
    await symlink(path, link);
    await (await downloaded()).saveTo(link);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await realpath(link)).toBe(path);
    expect(await readdir(join(folder, 'links'))).toEqual(['link.pdf']);
  });

  test('takes the file before it looks where to save it', async () => {
    const path = join(folder, 'a.pdf');
    const file = await downloaded();
    const [looking, found] = [Promise.withResolvers<undefined>(), Promise.withResolvers<never>()];
    vi.spyOn(files, 'stat').mockImplementationOnce(() => {
      looking.resolve(undefined);
      return found.promise;
    });
    const saved = file.saveTo(path);
    await looking.promise;
    const again = [errorOf(file.saveTo(join(folder, 'b.pdf'))), errorOf(file.arrayBuffer()), file.cancel()];
    for (const error of (await Promise.all(again)).slice(0, 2)) expect(error).toBeInstanceOf(InvalidInputError);
    found.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    expect(await saved).toBe(path);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['a.pdf']);
  });

  test('says on a platform without files that there are none, and closes the connection', async () => {
    const file = await downloaded();
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const error = await errorOf(file.saveTo(join(folder, 'a.pdf')));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe('Not saved: this platform has no files; use `stream`');
    expect((await file.stream.getReader().read()).done).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each<[string, object | undefined]>([
    ['without `process`', undefined],
    ['with a `process` of its own', {}],
    ['with some modules of Node.js', { getBuiltinModule: (id: string) => (id === 'node:path' ? {} : undefined) }],
  ])('rejects on a platform %s', async (_, process) => {
    vi.stubGlobal('process', process);
    const saved = saveStream(new ReadableStream(), 'a.pdf', (issue) => new InvalidInputError([issue]));
    vi.unstubAllGlobals();
    const issue = { path: [], message: 'this platform has no files; use `stream`' };
    await expect(saved).rejects.toMatchObject({ name: 'InvalidInputError', issues: [issue] });
  });

  test.each(['is complete', 'breaks off'])('closes the file of a download that %s', async (how) => {
    const open = vi.spyOn(process.getBuiltinModule('node:fs/promises'), 'open');
    const chunks = [new Uint8Array(3)];
    const body = new ReadableStream({
      pull: (to) => {
        if (chunks.length > 0) to.enqueue(chunks.pop());
        else if (how === 'is complete') to.close();
        else to.error(new TypeError('terminated'));
      },
    });
    const file = await stubbed([() => new Response(body)]).sellerClient.messages.download(input);
    const outcome: unknown = await file.saveTo(join(folder, 'a.pdf')).catch((error: unknown) => error);
    expect(outcome instanceof Error).toBe(how !== 'is complete');
    expect(open).toHaveBeenCalledOnce();
    expect(((await open.mock.results[0]!.value) as FileHandle).fd).toBe(-1);
  });

  test('rejects with the error of the disk where no file can be created', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    vi.spyOn(process.getBuiltinModule('node:fs/promises'), 'open').mockRejectedValueOnce(full);
    const file = await downloaded();
    await expect(file.saveTo(join(folder, 'a.pdf'))).rejects.toBe(full);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['a folder that does not exist', () => `${join(folder, 'new')}/`, '`path` is a folder'],
    ['a file in a file', () => join(folder, 'file', 'a.pdf'), 'the folder of `path` does not exist'],
    ['a folder in one', () => join(folder, 'none', 'a.pdf'), 'the folder of `path` does not exist'],
    ['an empty path', () => '', '`path` is empty'],
    ['no text', () => undefined as never, '`path` takes a string'],
  ])('rejects %s before it reads the file, and closes the connection', async (_, path, why) => {
    await writeFile(join(folder, 'file'), 'text');
    const [pull, cancel] = [vi.fn(), vi.fn()];
    const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
    const download = await stubbed([() => new Response(body)]).sellerClient.messages.download(input);
    const error: unknown = await download.saveTo(path()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'InvalidInputError', issues: [{ path: ['path'] }] });
    expect(String(error)).toContain(`Not saved: ${why}`);
    expect([pull.mock.calls.length, cancel.mock.calls.length]).toEqual([0, 1]);
    expect(await readdir(folder)).toEqual(['file']);
  });

  test('takes a name of 255 bytes', async () => {
    const name = 'ñ'.repeat(125) + 'a.pdf';
    expect(Buffer.byteLength(name)).toBe(255);
    await (await downloaded()).saveTo(join(folder, name));
    expect(await readdir(folder)).toEqual([name]);
  });

  test.each<[what: string, make: (path: string) => unknown, message: RegExp]>([
    ['a folder', (path) => mkdir(path), /^Not saved: `path` is a folder; it takes a file$/],
    [
      'a link to a device',
      (path) => symlink('/dev/null', path),
      /^Not saved: `path` is a device, a pipe or a socket; it takes a file$/,
    ],
    ['a socket', listenAt, /^Not saved: `path` is a device, a pipe or a socket; it takes a file$/],
  ])('rejects %s, and closes the connection unread', async (what, make, message) => {
    if (isWindows && what !== 'a folder') return;
    const path = join(folder, 'taken');
    await make(path);
    let isCanceled = false;
    const body = new ReadableStream({ cancel: () => void (isCanceled = true) });
    const file = await stubbed([() => new Response(body)]).sellerClient.messages.download(input);
    const error = await errorOf<InvalidInputError>(file.saveTo(path));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toMatchObject([{ path: ['path'] }]);
    expect(error.message).toMatch(message);
    expect(isCanceled).toBe(true);
    expect(await readdir(folder)).toEqual(['taken']);
  });

  test.each<[string, (file: Download) => Promise<unknown>]>([
    ['read', (file) => file.arrayBuffer()],
    ['saved', (file) => file.saveTo(join(folder, 'a.pdf'))],
    ['cancelled', (file) => file.cancel()],
  ])('rejects a file that was %s before', async (_, use) => {
    const file = await downloaded();
    await use(file);
    for (const again of [file.saveTo(join(folder, 'b.pdf')), file.arrayBuffer()]) {
      const error = await errorOf(again);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.message).toBe('the file was read before, is being read, or was cancelled');
    }
    expect(await readdir(folder)).not.toContain('b.pdf');
  });

  test('leaves the old file and nothing else behind when the connection breaks', async () => {
    const path = join(folder, 'a.pdf');
    await writeFile(path, 'old');
    let turn = 0;
    const body = new ReadableStream({
      pull: (controller) =>
        (turn += 1) === 1 ? controller.enqueue(new Uint8Array(9)) : controller.error(new TypeError('terminated')),
    });
    const file = await stubbed([() => new Response(body)]).sellerClient.messages.download(input);
    expect(await errorOf(file.saveTo(path))).toBeInstanceOf(ConnectionError);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.pdf']);
  });
});

async function listenAt(path: string): Promise<void> {
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
}

/** A server that writes these bytes and closes the connection. */
const sending = (...parts: readonly (string | Uint8Array)[]): Promise<string> =>
  rawServer((socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  });

const once = (url: string, options: Partial<ClientOptions>): SellerClient =>
  new SellerClient({ baseUrl: url, accessToken: 'token-1', maxRetries: 0, ...options });

describe.each(transports)('a compressed file over %s', (_, options) => {
  const whole = gzipSync('x'.repeat(5000) + '{"id":42}');
  const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n';

  test.each([whole.length >> 1, whole.length - 8, whole.length - 1])(
    'that ends with its connection after %i bytes is an error',
    async (length) => {
      const url = await sending(`${head}\r\n`, whole.subarray(0, length));
      const file = await once(url, options).messages.download(input);
      await expect(file.arrayBuffer()).rejects.toBeInstanceOf(ConnectionError);
      await expect(once(url, options).questions.get({ question_id: 42 })).rejects.toThrow();
    },
  );

  test.each([
    ['a length', `content-length: ${whole.length}\r\n\r\n`, ''],
    ['chunks', `transfer-encoding: chunked\r\n\r\n${whole.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ])('that has %s is delivered', async (_with, start, end) => {
    const url = await sending(head + start, whole, end);
    const file = await once(url, options).messages.download(input);
    expect((await file.arrayBuffer()).byteLength).toBe(5009);
  });

  test('is not asked for', async () => {
    const server = await startServer((response) => response.end('file'));
    await (await once(server.url, options).messages.download(input)).arrayBuffer();
    expect(server.received[0]!.headers['accept-encoding']).toBe('identity');
  });
});

describe.each(transports)('over %s', (_, options) => {
  test.each(['no signal', 'a signal that lives on'])(
    'a file that is dropped unread closes its connection (%s)',
    async (which) => {
      const server = await startServer((response) => {
        response.writeHead(200, { 'content-length': 10_000_000 });
        response.write(Buffer.alloc(300_000));
      });
      const { signal } = new AbortController();
      const drop = async (): Promise<void> => {
        await once(server.url, options).messages.download(input, which === 'no signal' ? {} : { signal });
      };
      await drop();
      expect(server.sockets.size).toBe(1);
      const isClosed = (): boolean => {
        collectGarbage();
        return server.sockets.size === 0;
      };
      await expect.poll(isClosed, { interval: 20 }).toBe(true);
    },
  );

  test('a file whose stream is kept stays open', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('12345');
      setTimeout(() => response.end('67890'), 100);
    });
    const streamOf = async (): Promise<Download['stream']> =>
      (await once(server.url, options).messages.download(input)).stream;
    const stream = await streamOf();
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
    expect(await new Response(stream).text()).toBe('1234567890');
  });
});
