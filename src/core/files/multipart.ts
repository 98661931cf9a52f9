import type { Bytes } from './bytes.js';
import { InvalidInputError } from '../errors/errors.js';
import { UploadReader, unreadable } from './upload-reader.js';
import type { OpenFile, UploadProgress } from './upload-reader.js';
import { fileNameOf, resolveFile, validateSize } from './file-source.js';
import type { FileInput, ResolvedFile } from './file-source.js';

/** The body of one attempt to upload. */
export interface MultipartBody {
  readonly body: BodyInit;
  readonly headers: Readonly<Record<string, string>>;
  /** The service has taken it. */
  readonly onArrival: () => void;
  /** What went wrong with the file while it was read. */
  readonly failure: () => Error | undefined;
  /** The attempt is over: lets go of the file. */
  readonly dispose: () => void;
}

/** A file that is ready to be uploaded: its length is known and acceptable. */
export interface Upload {
  /** It comes from a stream, which cannot be read a second time. */
  readonly isReplayable: boolean;
  build(onProgress: (progress: UploadProgress) => void): Promise<MultipartBody>;
}

/**
 * Looks at a file before it is uploaded.
 *
 * @throws {InvalidInputError} when it cannot be read, is empty or too long.
 */
export async function openUpload(given: FileInput, maxBytes = Infinity): Promise<Upload> {
  const known = resolveFile(given.file);
  const filename = fileNameOf(given);
  if (!known || filename === undefined) throw wrong('`file` takes a path, bytes, a Blob or a stream');
  const size = await sizeOf(known, given.size);
  const verdict = validateSize(size, maxBytes);
  if (verdict) throw wrong(verdict.message);
  const opened: OpenFile = { known, filename, size, contentType: given.contentType };
  return {
    isReplayable: known.kind !== 'stream',
    build: (onProgress) => (hasStreams() ? streamedForm(opened, onProgress) : platformForm(opened, onProgress)),
  };
}

/** Node, Deno and Bun; a browser or a Worker has its own FormData only. */
function hasStreams(): boolean {
  const { process, navigator } = globalThis as {
    process?: { versions?: { node?: string } };
    navigator?: { userAgent?: string };
  };
  return process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers';
}

async function sizeOf(known: ResolvedFile, size = 0): Promise<number> {
  if (known.kind === 'bytes') return known.bytes.byteLength;
  if (known.kind === 'blob') return known.blob.size;
  if (known.kind === 'stream') return size;
  if (!hasStreams()) throw wrong('`file` is a path, and there are no files here; give a Blob');
  const { stat } = await import('node:fs/promises');
  const found = await stat(known.path).catch((error: unknown) => {
    throw unreadable(error);
  });
  if (!found.isFile()) throw wrong('`file` is the path of something that is no file');
  return found.size;
}

/**
 * form-data's body, streamed: of the file, no more than a few chunks are in memory at once. form-data frames an empty
 * file and the chunks are put into the frame: its own way, through three streams, holds several times as much.
 */
async function streamedForm(opened: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { default: NodeForm } = await import('form-data');
  const { filename, size, contentType } = opened;
  const form = new NodeForm();
  const nothing = Buffer.alloc(0);
  form.append('file', nothing, { filename, knownLength: size, ...(contentType !== undefined && { contentType }) });
  const frame = form.getBuffer();
  const middle = frame.indexOf('\r\n\r\n') + 4;
  const reading = new UploadReader(opened, onProgress);
  const body = framed(frame.subarray(0, middle), reading.chunks(), frame.subarray(middle));
  return {
    body: pulled(body),
    headers: { ...(form.getHeaders() as Record<string, string>), 'content-length': String(form.getLengthSync()) },
    onArrival: () => undefined,
    failure: () => reading.failure,
    dispose: () => {
      reading.stop();
    },
  };
}

async function* framed(
  head: Uint8Array,
  chunks: AsyncIterable<Uint8Array>,
  foot: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  yield* chunks;
  yield foot;
}

/** A web stream that takes from an iterable only what is asked of it. `Readable.toWeb` would read far ahead. */
function pulled(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await iterator.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The platform's form: it knows its length and streams a Blob, and tells no progress but the end. */
async function platformForm(opened: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { known, filename, size, contentType } = opened;
  const form = new FormData();
  const blob = known.kind === 'blob' ? known.blob : new Blob(await gathered(opened));
  form.append('file', contentType === undefined ? blob : blob.slice(0, size, contentType), filename);
  onProgress({ sentBytes: 0, totalBytes: size });
  return {
    body: form,
    headers: {},
    onArrival: () => {
      onProgress({ sentBytes: size, totalBytes: size });
    },
    failure: () => undefined,
    dispose: () => undefined,
  };
}

async function gathered(opened: OpenFile): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  for await (const chunk of new UploadReader(opened, () => undefined).chunks()) chunks.push(chunk);
  return chunks;
}

function wrong(message: string): InvalidInputError {
  return new InvalidInputError([{ path: ['file'], message }]);
}
