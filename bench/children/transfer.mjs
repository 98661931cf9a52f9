// In a fresh process: one upload or download. Prints the process's peak memory and its growth in MiB, and the seconds. The library is loaded in every one, and
// form-data (8 MiB, most of it OpenSSL for its boundary) in both uploads: other rows measure the code.
import { createReadStream, statSync } from 'node:fs';
import FormData from 'form-data';

const { SellerClient } = await import(new URL('../../dist/esm/index.js', import.meta.url).href);
const { endpoints } = await import(new URL('../../dist/esm/schemas.js', import.meta.url).href);

const [, , who = '', baseUrl = '', what = ''] = process.argv;

/** The platform's own streaming fetch of the same multipart body. */
async function platformUpload() {
  const form = new FormData();
  form.append('file', Buffer.alloc(0), { filename: 'file.pdf', knownLength: statSync(what).size });
  const frame = form.getBuffer();
  const middle = frame.indexOf('\r\n\r\n') + 4;
  async function* body() {
    yield frame.subarray(0, middle);
    yield* createReadStream(what);
    yield frame.subarray(middle);
  }
  /** @type {any} TypeScript knows neither of these of Node's. */
  const { from } = ReadableStream;
  const ofNode = { body: from.call(ReadableStream, body()), duplex: 'half' };
  const response = await fetch(`${baseUrl}/messages/attachments?tag=post_sale&site_id=MLA`, {
    method: 'POST',
    headers: { ...form.getHeaders(), 'content-length': String(form.getLengthSync()) },
    redirect: 'error',
    ...ofNode,
  });
  await response.json();
}

async function platformDownload() {
  const response = await fetch(`${baseUrl}/messages/attachments/${what}`);
  let received = 0;
  for await (const chunk of response.body ?? []) received += chunk.byteLength;
  if (received === 0) throw new Error('nothing came');
}

const seller = new SellerClient({ baseUrl, accessToken: 'token' });

/** @type {Readonly<Record<string, () => Promise<unknown>>>} */
const ways = {
  'platform upload': platformUpload,
  'platform download': platformDownload,
  // The service's limit is lifted: some rows send more than it takes.
  upload: () =>
    seller.call(
      { ...endpoints.messages.upload, maxUploadBytes: Infinity },
      { site_id: 'MLA', file: what, filename: 'file.pdf' },
    ),
  download: async () => {
    const file = await seller.messages.download({ site_id: 'MLA', attachment_id: what });
    let received = 0;
    for await (const chunk of file.stream) received += Number(chunk.byteLength);
    if (received !== file.size) throw new Error('the file came short');
  },
};

const before = process.memoryUsage.rss();
const start = performance.now();
await ways[who]?.();
const seconds = (performance.now() - start) / 1000;
const peak = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ peak, growth: peak - before / 2 ** 20, seconds }));
