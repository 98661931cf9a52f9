import { NotFoundError, RequestAbortedError } from 'marketplace-seller-sdk';
import type { ClientOptions, Download } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

const input = { site_id: 'MLA', attachment_id: 'a' };
const firstUrl = 'https://api.test/messages/attachments/a?tag=post_sale&site_id=MLA';

async function downloadOf(headers: Record<string, string>, body: BodyInit | null = '12345'): Promise<Download> {
  return stubbed([new Response(body, { headers })]).sellerClient.messages.download(input);
}

describe('a redirect of a download', () => {
  const secret = { headers: { 'X-Api-Key': 'secret', 'x-request-id': 'trace' } };
  const to = (location: string | undefined, status = 302): Response =>
    new Response('moved', { status, headers: location === undefined ? {} : { location } });
  const download = (steps: readonly Step[], options: Partial<ClientOptions> = secret) => {
    const { sellerClient, sent } = stubbed(steps, { maxRetries: 0, ...options });
    return { sent, file: sellerClient.messages.download(input) };
  };
  const file = (): Response => new Response('file');

  test.each([301, 302, 303, 307, 308])('%i is followed with the headers, without its body', async (status) => {
    const cancel = vi.fn();
    const moved = new Response(new ReadableStream({ cancel }), { status, headers: { location: '/moved?x=1' } });
    const { sent, file: opened } = download([() => moved, file]);
    expect(Buffer.from(await (await opened).arrayBuffer()).toString()).toBe('file');
    expect(cancel).toHaveBeenCalledOnce();
    expect(sent.map(({ url, method, redirect }) => [url, method, redirect])).toEqual([
      [firstUrl, 'GET', 'manual'],
      ['https://api.test/moved?x=1', 'GET', 'manual'],
    ]);
    expect(Object.fromEntries(sent[1]!.headers)).toEqual(Object.fromEntries(sent[0]!.headers));
    expect(sent[1]!.headers.get('x-api-key')).toBe('secret');
  });

  test.each<[string, Response]>([
    ['another status', to('/moved', 300)],
    ['304', new Response(null, { status: 304, headers: { location: '/moved' } })],
    ['no location', to(undefined)],
    ['a location that is no URL', to('http://[')],
    ['a file', to('file:///etc/hosts')],
    ['data', to('data:text/plain,hello')],
    ['ftp', to('ftp://api.test/')],
  ])('%s is not followed', async (_, response) => {
    const { sent, file: opened } = download([response]);
    expect(await errorOf(opened)).toMatchObject({ status: response.status });
    expect(sent).toHaveLength(1);
  });

  test('secret headers stay with the first origin, and do not come back with it', async () => {
    const hops = ['http://api.test/', 'https://cdn.test:8443/', 'https://cdn.test:8443/b', 'https://api.test/c'];
    const { sent, file: opened } = download([...hops.map((url) => to(url)), file]);
    await opened;
    expect(sent.map(({ url }) => url)).toEqual([firstUrl, ...hops]);
    const carried = (name: string): boolean[] => sent.map(({ headers }) => headers.has(name));
    expect(carried('x-api-key')).toEqual([true, false, false, false, false]);
    expect(carried('authorization')).toEqual([true, false, false, false, false]);
    expect(carried('x-request-id')).toEqual([true, true, true, true, true]);
  });

  test('five redirects are followed, and not a sixth', async () => {
    const turns = Array.from({ length: 5 }, (_, turn) => to(`/${turn}`));
    expect((await download([...turns, file]).file).size).toBeUndefined();
    const { sent, file: opened } = download([...turns, to('/5')]);
    expect(await errorOf(opened)).toMatchObject({ status: 302 });
    expect(sent).toHaveLength(6);
  });

  test.each<[string, Partial<ClientOptions>]>([
    ['a token', {}],
    ['a cookie', { headers: { Cookie: 'a=1', 'x-request-id': 'trace' } }],
    ['proxy credentials', { headers: { 'Proxy-Authorization': 'Basic a' } }],
  ])('is left to fetch with %s, which fetch itself keeps', async (_, options) => {
    const { sent, file: opened } = download([to('/moved')], options);
    await errorOf(opened);
    expect(sent.map(({ redirect }) => redirect)).toEqual(['follow']);
  });

  test('is followed here with a header of the user', async () => {
    const { sent, file: opened } = download([to('https://cdn.test/'), file], {
      headers: { 'x-shop': 'mine' },
    });
    await opened;
    expect(sent.map(({ headers }) => headers.get('x-shop'))).toEqual(['mine', null]);
  });

  test('an abort reaches the request after a redirect', async () => {
    const aborter = new AbortController();
    const { sellerClient, sent } = stubbed([to('/moved'), () => new Promise<never>(() => {})], secret);
    const opened = errorOf(sellerClient.messages.download(input, { signal: aborter.signal }));
    await expect.poll(() => sent.length).toBe(2);
    aborter.abort();
    expect(await opened).toBeInstanceOf(RequestAbortedError);
    expect(sent[1]!.signal.aborted).toBe(true);
  });

  test('an error after a redirect has its class', async () => {
    expect(await errorOf(download([to('/moved'), Response.json({}, { status: 404 })]).file)).toBeInstanceOf(
      NotFoundError,
    );
  });
});

describe('what is known of a download when it begins', () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ['its length', { 'content-length': '5' }, 5],
    ['nothing', {}, undefined],
    ['the length of the whole, of a part', { 'content-length': '15', 'content-range': 'bytes 10-24/125' }, 125],
    ['the length of a part of an unknown whole', { 'content-length': '5', 'content-range': 'bytes 10-24/*' }, 5],
    ['a part in another unit', { 'content-length': '5', 'content-range': 'kilobytes 10-24/125' }, 5],
    ['a part with more behind it', { 'content-length': '5', 'content-range': 'bytes 10-24/125 ' + 'x' }, 5],
    ['a length beyond 2^53', { 'content-length': '5', 'content-range': `bytes 10-24/${'9'.repeat(16)}` }, 5],
    ['the length of a compressed file', { 'content-length': '5', 'content-encoding': 'gzip' }, undefined],
  ])('its size: %s', async (_, headers, size) => {
    expect((await downloadOf(headers)).size).toBe(size);
  });

  test('its type is that of the header', async () => {
    expect((await downloadOf({ 'content-type': 'image/png' })).contentType).toBe('image/png');
    expect((await downloadOf({}, new Uint8Array(1))).contentType).toBeUndefined();
  });

  const nameIn = async (disposition: string): Promise<string | undefined> =>
    (await downloadOf({ 'content-disposition': disposition })).filename;

  test.each<[string, string | undefined]>([
    ['attachment; filename="a b.pdf"', 'a b.pdf'],
    ['attachment; filename=a.pdf', 'a.pdf'],
    ['attachment; FileName = "a.pdf"', 'a.pdf'],
    ['attachment;filename="a;b.pdf"', 'a;b.pdf'],
    ['attachment; filename=a.pdf; size=5', 'a.pdf'],
    ['attachment; filename = a.pdf', 'a.pdf'],
    ['attachment; filename="a.pdf"; filename="b.pdf"', 'a.pdf'],
    ["attachment; filename=x.pdf; FILENAME* = utf-8'es-AR'a%20b.pdf; size=5", 'a b.pdf'],
    ["attachment; filename=x.pdf; filename*=UTF-8''%C3%B1.pdf", 'ñ.pdf'],
    ["attachment; filename=x.pdf; filename*=latin1''b.pdf", 'x.pdf'],
    ['attachment; filename*=UTF-8\'\'%ZZ; filename="y.pdf"', 'y.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\a.pdf"', 'a.pdf'],
    ['attachment; filename="a\\"b\\c.pdf"', 'c.pdf'],
    ['attachment; filename="a\\"b.pdf"', 'a"b.pdf'],
    ['attachment; filename="folder/"', undefined],
    ['attachment; filename=" a.pdf "', 'a.pdf'],
    ['attachment; filename="."', undefined],
    ['attachment; filename=".."', undefined],
    ['inline', undefined],
    ['attachment; filename=""', undefined],
    ['attachment; filename="..."', '...'],
    ['attachment; filename=".env"', '.env'],
    ["attachment; filename*=UTF-8''a%0D%0Ab%07.pdf", 'ab.pdf'],
    ["attachment; filename*=UTF-8''a%0A%2Fb.pdf", 'b.pdf'],
    ['filename=a.pdf', undefined],
    [`attachment; filename="${'a'.repeat(1977)}"`, 'a'.repeat(1977)],
    [`attachment; filename="${'a'.repeat(1978)}"`, undefined],
  ])('its name in %#', async (disposition, filename) => {
    expect(await nameIn(disposition)).toBe(filename);
  });

  test('its name is any that can be a name of a file, in both forms of the header', async () => {
    const characters = fc.constantFrom('a', 'Z', '9', '.', '_', '-', '"', "'", '%', ';', '=', ' ', '(', 'ñ', '😀');
    const name = fc.string({ unit: characters, minLength: 3, maxLength: 20 }).map((text) => `a${text}z`);
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const encoded = encodeURIComponent(text).replace(/[;']/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
        expect(await nameIn(`attachment; filename*=UTF-8''${encoded}`)).toBe(text);
        const latin = text.replace(/[^\x20-\x7e]/g, 'n');
        expect(await nameIn(`attachment; filename="${latin.replace(/["\\]/g, '\\$&')}"`)).toBe(latin);
      }),
      { numRuns: 40 },
    );
  });
});

describe('reading a download', () => {
  test('progress is reported for each chunk, with the total', async () => {
    const chunks = [3, 4, 5].map((length) => new Uint8Array(length));
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const reports: unknown[] = [];
    const { sellerClient } = stubbed([() => new Response(body, { headers: { 'content-length': '12' } })]);
    const file = await sellerClient.messages.download(input, { onDownloadProgress: (report) => reports.push(report) });
    expect((await file.arrayBuffer()).byteLength).toBe(12);
    expect(reports).toEqual([3, 7, 12].map((receivedBytes) => ({ receivedBytes, totalBytes: 12 })));
  });

  test('an empty file is read, also where the response has no body', async () => {
    for (const body of ['', null]) expect((await (await downloadOf({}, body)).arrayBuffer()).byteLength).toBe(0);
  });

  test('nothing is read in advance', async () => {
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const { sellerClient } = stubbed([() => new Response(body)]);
    const file = await sellerClient.messages.download(input);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pull).not.toHaveBeenCalled();
    await file.cancel();
  });

  test.each<[string, (file: Download) => Promise<void>]>([
    ['cancel()', (file) => file.cancel()],
    ['the end of its block', (file) => file[Symbol.asyncDispose]()],
    ['cancelling its stream', (file) => file.stream.cancel()],
  ])('%s closes the connection, and ends the limits of the call', async (_, end) => {
    const cancel = vi.fn();
    const aborter = new AbortController();
    const removed = vi.spyOn(aborter.signal, 'removeEventListener');
    const { sellerClient } = stubbed([() => new Response(new ReadableStream({ cancel }))]);
    const file = await sellerClient.messages.download(input, { signal: aborter.signal });
    const removedBefore = removed.mock.calls.length;
    await end(file);
    expect(cancel).toHaveBeenCalledOnce();
    expect(removed.mock.calls.length).toBeGreaterThan(removedBefore);
  });

  test('cancel() does not wait for a copy of the response that a `fetch` of the user keeps', async () => {
    const kept: Response[] = [];
    const { sellerClient } = stubbed([
      () => {
        const response = new Response(new ReadableStream());
        kept.push(response.clone());
        return response;
      },
    ]);
    const file = await sellerClient.messages.download(input);
    await expect(file.cancel()).resolves.toBeUndefined();
    expect(kept).toHaveLength(1);
  });

  test('cancel() leaves a file alone that is being read', async () => {
    const body = Promise.withResolvers<undefined>();
    const source = new ReadableStream({
      pull: async (controller) => {
        await body.promise;
        controller.enqueue(new Uint8Array(3));
        controller.close();
      },
    });
    const { sellerClient } = stubbed([() => new Response(source)]);
    const file = await sellerClient.messages.download(input);
    const read = file.arrayBuffer();
    await file.cancel();
    await file[Symbol.asyncDispose]();
    body.resolve(undefined);
    expect((await read).byteLength).toBe(3);
  });

  test('an abort cancels the body with its reason, also of a file that nobody reads', async () => {
    const cancel = vi.fn();
    const aborter = new AbortController();
    const { sellerClient } = stubbed([() => new Response(new ReadableStream({ cancel }))]);
    const file = await sellerClient.messages.download(input, { signal: aborter.signal });
    aborter.abort(new Error('the tab was closed'));
    await expect.poll(() => cancel.mock.calls.length).toBeGreaterThan(0);
    expect(cancel.mock.calls[0]![0]).toBeInstanceOf(RequestAbortedError);
    await expect(file.arrayBuffer()).rejects.toBeInstanceOf(RequestAbortedError);
  });

  test('a file of an unknown length that breaks off says how much had arrived', async () => {
    let turn = 0;
    const body = new ReadableStream({
      pull: (controller) =>
        (turn += 1) === 1 ? controller.enqueue(new Uint8Array(9)) : controller.error(new TypeError('terminated')),
    });
    const { sellerClient } = stubbed([() => new Response(body)]);
    const error = await errorOf((await sellerClient.messages.download(input)).arrayBuffer());
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: 'GET /messages/attachments/{attachment_id} broke off after 9 bytes: terminated',
      cause: { message: 'terminated' },
    });
  });
});
