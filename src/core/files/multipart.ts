import type { Writable } from 'node:stream';
import { issueAt, type FileInput } from './file-source.js';
import type { UploadProgress } from '../scope/call-options.js';
import { openUpload as openPlatformUpload, UploadReader, unreadable } from './upload.js';
import type { MultipartBody, Upload, OpenFile, RejectFile } from './upload.js';

/** Opens a file for an upload, on a platform with the modules of Node.js. */
export function openUpload(input: FileInput, reject: RejectFile, maxBytes?: number): Promise<Upload> {
  return openPlatformUpload(input, reject, maxBytes, hasStreams() ? { sizeOnDisk, build: streamedForm } : undefined);
}

/** Whether this is Node.js, Deno or Bun. A Worker that is bundled for Node.js has only its `FormData`. */
function hasStreams(): boolean {
  const { process, navigator } = globalThis as {
    process?: { versions?: { node?: string } };
    navigator?: { userAgent?: string };
  };
  return process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers';
}

async function sizeOnDisk(path: string | URL | Uint8Array, reject: RejectFile, given?: string): Promise<number> {
  const stats = await process
    .getBuiltinModule('node:fs/promises')
    .stat(path as string)
    .catch((error: unknown) => {
      throw unreadable(error, reject, given);
    });
  if (!stats.isFile()) throw reject(issueAt('file', '`file` is the path of something that is not a file'));
  return stats.size;
}

/** Creates a form of form-data. It streams the file and is used once. */
async function streamedForm(file: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { default: NodeForm } = await import('form-data');
  const { PassThrough, Readable } = process.getBuiltinModule('node:stream');
  const { filename, size, contentType } = file;
  const reader = new UploadReader(file, onProgress);
  const content = Readable.from(reader.chunks(), { objectMode: false });
  const form = new NodeForm();
  // Without a listener, an error of a file that is not sent any more would end the process.
  form.on('error', ignore);
  form.append('file', content, { filename, knownLength: size, ...(contentType !== undefined && { contentType }) });
  const pipeTo = (destination: Writable): void => {
    // `pipe` passes neither an error of the file on, nor the end of the request back.
    form.on('error', (error) => destination.destroy(error));
    destination.on('close', () => {
      reader.stop();
      content.destroy();
    });
    form.pipe(destination);
  };
  const forFetch = (): BodyInit => {
    const through = new PassThrough({
      destroy(error, done) {
        // Otherwise Node.js may pass a chunk to a web stream that `fetch` has cancelled, and that ends the process.
        this.pause();
        done(error);
      },
    });
    through.on('error', ignore);
    pipeTo(through);
    return Readable.toWeb(through) as BodyInit;
  };
  return {
    body: { pipeTo, forFetch },
    headers: { ...form.getHeaders(), 'content-length': String(form.getLengthSync()) },
    onArrival: ignore,
    failure: () => reader.failure,
    close: () => reader.stop(),
  };
}

function ignore(): void {
  // Nothing is left to do.
}
