import { issueAt } from './file-source.js';
import type { FileInput } from './file-source.js';
import type { UploadProgress } from './progress.js';
import { platformForm, prepareUpload } from './upload.js';
import type { MultipartBody, Upload } from './upload.js';
import { UploadReader, unreadable } from './upload-reader.js';
import type { OpenFile, RejectFile } from './upload-reader.js';

/** Opens a file for an upload, on a platform with the modules of Node.js. */
export function openUpload(input: FileInput, reject: RejectFile, maxBytes?: number): Promise<Upload> {
  const platform = hasStreams() ? { sizeOnDisk, build: streamedForm } : { build: platformForm };
  return prepareUpload(platform, input, reject, maxBytes);
}

/** Whether this is Node.js, Deno or Bun. A Worker that is bundled for Node.js has only its `FormData`. */
function hasStreams(): boolean {
  const { process, navigator } = globalThis as {
    process?: { versions?: { node?: string } };
    navigator?: { userAgent?: string };
  };
  return process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers';
}

async function sizeOnDisk(path: string | URL, reject: RejectFile): Promise<number> {
  const stats = await process
    .getBuiltinModule('node:fs/promises')
    .stat(path)
    .catch((error: unknown) => {
      throw unreadable(error, reject);
    });
  if (!stats.isFile()) throw reject(issueAt('file', '`file` is the path of something that is not a file'));
  return stats.size;
}

/**
 * Creates a multipart body that streams the file, so that only a few chunks are in memory. form-data builds the body of
 * an empty file, and the chunks are inserted into it: form-data's own three streams would buffer several times as much.
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

/** Creates a web stream that reads an iterable only on demand. `Readable.toWeb` would read far ahead. */
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
