import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BrotliOptions, InputType, ZlibOptions, ZstdOptions } from 'node:zlib';
import type { ResponseHeaders } from '../errors/response-headers.js';
import { charsetOf } from '../json/charset.js';
import type { BodyText } from './transport.js';

/** Up to this many compressed bytes are decompressed synchronously, because the thread pool would take longer. */
const syncBytes = 64 * 1024;

/** A body with more encodings than this is an attack. The platform's `fetch` has the same limit. */
const maxEncodings = 5;

type Codec = 'gunzip' | 'inflate' | 'inflateRaw' | 'brotliDecompress' | 'zstdDecompress';
type CodecOptions = ZlibOptions & BrotliOptions & ZstdOptions;

/** The part of `node:zlib` that decompresses. Node.js 22 supports zstd since 22.15. */
type Zlib = Record<`${Codec}Sync`, (body: InputType, options: CodecOptions) => Buffer> &
  Record<Codec, (body: InputType, options: CodecOptions, done: (error: Error | null, body: Buffer) => void) => void>;

let zlib: Zlib | undefined;

const hasZstd = 'zstd' in process.versions;

/** The encodings that `readText` supports, for `accept-encoding`. */
export const acceptedEncodings = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

/**
 * Reads the body of a response by its charset, at most `maxBytes` after decompression.
 *
 * @throws {Error} when the body is incomplete or invalid.
 */
export async function readText(
  message: IncomingMessage,
  headers: ResponseHeaders,
  maxBytes: number,
): Promise<BodyText> {
  const { body, isTruncated } = await readBody(message, maxBytes);
  const encoding = headers.get('content-encoding');
  const charset = charsetOf(headers.get('content-type'));
  if (encoding === null) return { text: textOf(body, charset), isTruncated };
  if (isTruncated) return { text: '', isTruncated };
  try {
    return { text: textOf(await decodeBody(body, encoding, maxBytes), charset), isTruncated };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return { text: '', isTruncated: true };
    throw error;
  }
}

/** Returns the body of a response as a stream, decompressed. `failure` creates the error with which reading fails. */
export function readStream(
  message: IncomingMessage,
  headers: ResponseHeaders,
  failure: (error: Error) => Error,
): ReadableStream<Uint8Array> {
  const source = decoded(message, headers.get('content-encoding'));
  // Each has an error that reading says; without a listener it would end the process.
  for (const each of [message, source]) each.on('error', () => undefined);
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next().catch((error: unknown) => {
          throw failure(error as Error);
        });
        if (next.done === true) controller.close();
        else controller.enqueue(new Uint8Array(next.value.buffer, next.value.byteOffset, next.value.byteLength));
      },
      cancel: () => {
        message.destroy();
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A body without its encodings. An end that comes early is an error. */
function decoded(message: IncomingMessage, contentEncoding: string | null): Readable {
  const encodings = encodingsIn(contentEncoding ?? '');
  if (contentEncoding === null || !encodings.every(isKnown)) return message;
  const { createBrotliDecompress, createUnzip, createZstdDecompress } = process.getBuiltinModule('node:zlib');
  const streams = encodings
    .filter((encoding) => encoding !== 'identity')
    .map((encoding) =>
      encoding === 'br' ? createBrotliDecompress() : encoding === 'zstd' ? createZstdDecompress() : createUnzip(),
    );
  const { pipeline } = process.getBuiltinModule('node:stream');
  return streams.reduceRight<Readable>((body, stream) => pipeline(body, stream, () => undefined), message);
}

interface RawBody {
  readonly body: Buffer;
  readonly isTruncated: boolean;
}

function readBody(message: IncomingMessage, maxBytes: number): Promise<RawBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) resolve({ body: Buffer.concat(chunks, maxBytes), isTruncated: true });
    });
    message.on('end', () => {
      const [first] = chunks;
      const body = chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
      resolve({ body, isTruncated: false });
    });
    message.on('error', reject);
    // Lost before the body was read, e.g. because tracing has waited: that event is over.
    if (message.errored) reject(message.errored);
  });
}

/** Returns the text of a body without a byte order mark, like `text()` of the platform's `fetch`. */
function textOf(bytes: Buffer, charset: string | undefined): string {
  if (charset !== undefined) return new TextDecoder(charset).decode(bytes);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', hasMark ? 3 : 0);
}

/** Decompresses a body. With an unknown encoding, the body is returned unchanged, like with the platform's `fetch`. */
async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const encodings = encodingsIn(contentEncoding);
  if (body.length === 0 || !encodings.every(isKnown)) return body;
  let decoded = body;
  for (const encoding of encodings.reverse()) decoded = await decompress(decoded, encoding, maxBytes);
  return decoded;
}

function encodingsIn(contentEncoding: string): string[] {
  const encodings = contentEncoding.split(',').map((encoding) => encoding.trim().toLowerCase());
  if (encodings.length <= maxEncodings) return encodings;
  throw new RangeError(
    `too many content-encodings in response: ${encodings.length}, maximum allowed is ${maxEncodings}`,
  );
}

function isKnown(encoding: string): boolean {
  return /^(?:identity|x-gzip|gzip|deflate|br)$/.test(encoding) || (encoding === 'zstd' && hasZstd);
}

function decompress(body: Buffer, encoding: string, maxOutputLength: number): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  zlib ??= process.getBuiltinModule('node:zlib');
  const [codec, finishFlush] = codecOf(encoding, body);
  const options: CodecOptions = { maxOutputLength, finishFlush };
  if (body.length <= syncBytes) return zlib[`${codec}Sync`](body, options);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  zlib[codec](body, options, (error, decoded) => {
    if (error) reject(error);
    else resolve(decoded);
  });
  return promise;
}

/**
 * Returns the decompressor of an encoding and its mode at the end of the input, like the platform's `fetch`: the
 * available part of an incomplete body is returned, and it is then invalid JSON. With zstd, it is an error.
 */
function codecOf(encoding: string, body: Buffer): [codec: Codec, finishFlush: number] {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_end } = process.getBuiltinModule('node:zlib').constants;
  if (encoding === 'br') return ['brotliDecompress', BROTLI_OPERATION_FLUSH];
  if (encoding === 'zstd') return ['zstdDecompress', ZSTD_e_end];
  if (encoding !== 'deflate') return ['gunzip', Z_SYNC_FLUSH];
  // `deflate` means the zlib format, but some servers send the raw stream.
  return [((body[0] ?? 0) & 0x0f) === 0x08 ? 'inflate' : 'inflateRaw', Z_SYNC_FLUSH];
}
