import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidInputError } from 'marketplace-seller-sdk';
import type { endpoints, Input } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import nodeFetch from 'node-fetch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/listen.ts';
import { eachTransport, errorOf, stubbed } from '../support/stubs.ts';

type UploadInput = Input<typeof endpoints.messages.upload>;

// A stream of a path, a response and a download say what an upload has to know of a file.

const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));

/** A file on disk with these bytes, until the test is over. */
async function onDisk(name = 'factura.pdf', content: Uint8Array = bytes): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

/** The URL of a server that sends the bytes with these headers. */
async function served(headers: Record<string, string>, { status = 200, content = bytes } = {}): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers);
    // In two parts, so that no length is stated where the headers do not.
    response.write(content.subarray(0, 9));
    response.end(content.subarray(9));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}

/** A service over a transport that reads the form; `upload` returns the file in it. */
async function service(create: (typeof eachTransport)[number][1] = async (...given) => stubbed(...given)) {
  const files: File[] = [];
  const { sellerClient } = await create([
    async (request) => {
      files.push((await request.formData()).get('file') as File);
      return Response.json({ id: 'stored' });
    },
  ]);
  const upload = async (input: object): Promise<File> => {
    await sellerClient.messages.upload({ site_id: 'MLA', ...input } as UploadInput);
    return files.at(-1)!;
  };
  return { upload, files };
}

describe.each(eachTransport)('over %s', (_, create) => {
  test.each<[string, (path: string) => object, Uint8Array]>([
    ['of a path', (path) => createReadStream(path), bytes],
    ['of a URL', (path) => createReadStream(pathToFileURL(path)), bytes],
    ['of bytes of a path', (path) => createReadStream(Buffer.from(path)), bytes],
    ['of a part', (path) => createReadStream(path, { start: 100, end: 199 }), bytes.subarray(100, 200)],
    ['of the end', (path) => createReadStream(path, { start: 199_000 }), bytes.subarray(199_000)],
    ['of more than there is', (path) => createReadStream(path, { start: 1, end: 1e9 }), bytes.subarray(1)],
  ])('a stream %s has the name and the size of its file', async (__, open, expected) => {
    const { upload } = await service(create);
    const file = await upload({ file: open(await onDisk()) });
    expect([file.name, file.type]).toEqual(['factura.pdf', 'application/pdf']);
    expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), expected)).toBe(0);
  });

  test.each<[string, Record<string, string>, string, string, string]>([
    ['its URL', { 'content-length': '200000' }, '/a/mi%20factura.pdf?x=1', 'mi factura.pdf', 'application/pdf'],
    ['its URL, without a length', {}, '/factura.pdf', 'factura.pdf', 'application/pdf'],
    [
      'its headers',
      { 'content-disposition': `attachment; filename*=UTF-8''%C3%B1.png`, 'content-type': 'image/png' },
      '/1',
      'ñ.png',
      'image/png',
    ],
  ])('a response has the name and the type of %s', async (__, headers, path, name, type) => {
    const { upload } = await service(create);
    const url = (await served(headers)) + path;
    for (const fetched of [await fetch(url), await nodeFetch(url)]) {
      const file = await upload({ file: fetched });
      expect([file.name, file.type]).toEqual([name, type]);
      expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), bytes)).toBe(0);
    }
  });
});

test('what is given has precedence over what a source says', async () => {
  const { upload } = await service();
  const given = { filename: 'b.txt', contentType: 'text/markdown' };
  for (const file of [createReadStream(await onDisk()), await fetch(await served({ 'content-type': 'image/png' }))])
    expect(await upload({ file, ...given })).toMatchObject({ name: 'b.txt', type: 'text/markdown' });
});

test('a response that nobody fetched needs a name alone', async () => {
  const { upload } = await service();
  const file = await upload({ file: new Response('text', { headers: { 'content-type': 'text/csv' } }), filename: 'a' });
  expect([file.name, file.type, await file.text()]).toEqual(['a', 'text/csv', 'text']);
});

test('a response without a length is in memory, so its upload is repeated after a 429', async () => {
  const { sellerClient, sent } = stubbed([
    Response.json({}, { status: 429, headers: { 'retry-after': '0' } }),
    Response.json({ id: 'stored' }),
  ]);
  const file = await fetch(`${await served({})}/a.pdf`);
  expect(await sellerClient.messages.upload({ site_id: 'MLA', file })).toMatchObject({ id: 'stored' });
  expect(sent).toHaveLength(2);
});

test('a file of one conversation is passed on to another', async () => {
  const marketplace = new FakeMarketplace();
  const shop = marketplace.addUser();
  const { messages } = marketplace.clientFor(shop);
  const { id } = await messages.upload({ site_id: 'MLA', file: bytes, filename: 'factura.pdf' });
  const copy = await messages.upload({
    site_id: 'MLA',
    file: await messages.download({ site_id: 'MLA', attachment_id: id }),
  });
  const download = await messages.download({ site_id: 'MLA', attachment_id: copy.id });
  expect(download.filename).toBe('factura.pdf');
  expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
});

describe('is rejected before anything is sent', () => {
  test.each<[string, () => object | Promise<object>, RegExp]>([
    [
      'a stream of a missing file',
      () => createReadStream('/missing/a.pdf'),
      /^Not sent: `file` cannot be read \(ENOENT\)$/,
    ],
    ['a stream of a folder', () => createReadStream(tmpdir()), /`file` is the path of something that is not a file/],
    ['a stream behind the end', async () => createReadStream(await onDisk(), { start: 1e6 }), /`file` is empty/],
    ['an empty file', async () => createReadStream(await onDisk('a.pdf', new Uint8Array())), /`file` is empty/],
    [
      'a stream that was read',
      async () => {
        const stream = createReadStream(await onDisk());
        await stream.resume().toArray();
        return stream;
      },
      /`file` has been read before/,
    ],
    [
      'a response that was read',
      async () => {
        const response = await fetch(`${await served({})}/a.pdf`);
        await response.text();
        return response;
      },
      /`file` has been read before/,
    ],
    [
      'an error',
      async () => fetch(`${await served({}, { status: 404 })}/a.pdf`),
      /is a response with the status 404, which brings no file/,
    ],
    [
      'a response without a body',
      () => new Response(null, { headers: { 'content-disposition': 'a; filename=a' } }),
      /`file` is empty/,
    ],
    [
      'a response that is too long, without a length',
      async () => fetch(`${await served({}, { content: Buffer.alloc(25 * 2 ** 20 + 1) })}/a.pdf`),
      /`file` has more than 26214400 bytes, which is the most that an upload takes/,
    ],
    [
      'a response that is too long',
      async () => fetch(`${await served({ 'content-length': '26214401' })}/a.pdf`),
      /`file` has 26214401 bytes; an upload takes at most 26214400/,
    ],
  ])('%s', async (_, open, message) => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'stored' })]);
    const error = await errorOf(sellerClient.messages.upload({ site_id: 'MLA', file: await open() } as UploadInput));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toMatch(message);
    expect(sent).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['a stream', { file: new Blob(['a']).stream() }, ['filename', 'size']],
    [
      'a stream with a wrong type',
      { file: new Blob(['a']).stream(), contentType: 'a\n' },
      ['filename', 'contentType', 'size'],
    ],
    [
      'bytes with a size',
      { file: bytes, size: 3, filename: 'a/b', contentType: '' },
      ['filename', 'contentType', 'size'],
    ],
    ['no bytes', { file: new Uint8Array(), filename: ' ' }, ['filename', 'file']],
    ['no file', { file: 7, contentType: '' }, ['file', 'contentType']],
    ['a response of an error', { file: Response.error(), contentType: '' }, ['filename', 'contentType', 'file']],
  ])('with all issues at once: %s', async (_, input, fields) => {
    const { sellerClient } = stubbed([Response.json({ id: 'stored' })]);
    const error = await errorOf<InvalidInputError>(
      sellerClient.messages.upload({ site_id: 'MLA', ...input } as UploadInput),
    );
    expect(error.issues.map(({ path }) => path.join('.'))).toEqual(fields);
  });
});
