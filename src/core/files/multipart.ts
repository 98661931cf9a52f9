import type { Issue } from '../schema/issue.js';
import type { Bytes } from './bytes.js';
import { UploadReader, unreadable } from './upload-reader.js';
import type { OpenFile, RejectFile } from './upload-reader.js';
import { checkFile, validateSize } from './file-source.js';
import type { FileInput, ResolvedFile } from './file-source.js';
import type { UploadProgress } from './progress.js';

/** The body of one attempt to upload. */
export interface MultipartBody {
  readonly body: BodyInit;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the service has accepted it. */
  readonly onArrival: () => void;
  /** The error that occurred while the file was read. */
  readonly failure: () => Error | undefined;
  /** Closes the file when the attempt has ended. */
  readonly dispose: () => void;
}

/** A file that is ready to be uploaded: its length is known and acceptable. */
export interface Upload {
  /** Whether it can be sent a second time: a stream cannot. */
  readonly isReplayable: boolean;
  build(onProgress: (progress: UploadProgress) => void): Promise<MultipartBody>;
}

/**
 * Checks and resolves a file before it is uploaded. This file is loaded on first use; what it imports of the client would
 * be split from the rest in every bundle, so `reject` creates its errors.
 *
 * @throws what `reject` returns when the file is not acceptable or cannot be read.
 */
export async function openUpload(input: FileInput, reject: RejectFile, maxBytes = Infinity): Promise<Upload> {
  const checked = checkFile(input, maxBytes);
  if ('issue' in checked) throw reject(checked.issue);
  const { source, filename } = checked;
  const size = await sizeOf(source, reject, input.size);
  const issue = validateSize(size, maxBytes);
  if (issue) throw reject(issue);
  const file: OpenFile = { source, filename, size, contentType: input.contentType, reject };
  return {
    isReplayable: source.kind !== 'stream',
    build: (onProgress) => (hasStreams() ? streamedForm(file, onProgress) : platformForm(file, onProgress)),
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

async function sizeOf(source: ResolvedFile, reject: RejectFile, size = 0): Promise<number> {
  if (source.kind === 'bytes') return source.bytes.byteLength;
  if (source.kind === 'blob') return source.blob.size;
  if (source.kind === 'stream') return size;
  if (!hasStreams()) throw reject(issueOf('`file` is a path, and this platform has no files; give a Blob'));
  const { stat } = await import('node:fs/promises');
  const stats = await stat(source.path).catch((error: unknown) => {
    throw unreadable(error, reject);
  });
  if (!stats.isFile()) throw reject(issueOf('`file` is the path of something that is not a file'));
  return stats.size;
}

/**
 * The body of form-data, streamed: at most a few chunks of the file are in memory at the same time. form-data frames an
 * empty file and the chunks are put into the frame: its own way, through three streams, holds several times as much.
 */
async function streamedForm(file: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { default: NodeForm } = await import('form-data');
  const { filename, size, contentType } = file;
  const form = new NodeForm();
  const nothing = Buffer.alloc(0);
  form.append('file', nothing, { filename, knownLength: size, ...(contentType !== undefined && { contentType }) });
  const frame = form.getBuffer();
  const middle = frame.indexOf('\r\n\r\n') + 4;
  const reader = new UploadReader(file, onProgress);
  const body = framed(frame.subarray(0, middle), reader.chunks(), frame.subarray(middle));
  return {
    body: pullStream(body),
    headers: { ...(form.getHeaders() as Record<string, string>), 'content-length': String(form.getLengthSync()) },
    onArrival: () => undefined,
    failure: () => reader.failure,
    dispose: () => {
      reader.stop();
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

/** A web stream that reads from an iterable only on demand. `Readable.toWeb` would read far ahead. */
function pullStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
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

/** The platform's form: it knows its length and streams a Blob; it reports progress at the beginning and end only. */
async function platformForm(file: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { source, filename, size, contentType } = file;
  const form = new FormData();
  const blob = source.kind === 'blob' ? source.blob : new Blob(await readAll(file));
  form.append('file', contentType === undefined ? blob : blob.slice(0, size, contentType), filename);
  onProgress({ sentBytes: 0, totalBytes: size });
  return {
    body: form,
    headers: {},
    onArrival: () => {
      try {
        onProgress({ sentBytes: size, totalBytes: size });
      } catch {
        // The file is stored: that must not be reported as failed.
      }
    },
    failure: () => undefined,
    dispose: () => undefined,
  };
}

async function readAll(file: OpenFile): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  for await (const chunk of new UploadReader(file, () => undefined).chunks()) chunks.push(chunk);
  return chunks;
}

function issueOf(message: string): Issue {
  return { path: ['file'], message };
}
