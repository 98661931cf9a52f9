import type { Writable } from 'node:stream';
import { checkFile, issueAt, typeOf, validateSize } from './file-source.js';
import type { Bytes, FileInput, ResolvedFile } from './file-source.js';
import type { UploadProgress } from '../scope/call-options.js';
import { UploadReader } from './upload-reader.js';
import type { OpenFile, RejectFile } from './upload-reader.js';

/** A multipart body. It is sent once, in one of these ways. */
export interface StreamedBody {
  /** Writes the body into a request of `node:http`; absent if the platform has no streams of Node.js. */
  readonly pipeTo?: (request: Writable) => void;
  /** Returns the body for `fetch`. */
  readonly forFetch: () => BodyInit;
}

/** The body of an attempt of an upload. */
export interface MultipartBody {
  readonly body: StreamedBody;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the service has accepted the file. */
  readonly onArrival: () => void;
  /** Returns the error that occurred while the file was read. */
  readonly failure: () => Error | undefined;
  /** Closes the file when the attempt has ended. */
  readonly close: () => void;
}

/** A file that is ready to be uploaded: its size is known and valid. */
export interface Upload {
  /** Whether the file can be sent again; a stream cannot. */
  readonly isReplayable: boolean;
  /** Closes a stream that no attempt has read. */
  dispose(): void;
  /** `onProgress` does not throw. */
  build(onProgress: (progress: UploadProgress) => void): Promise<MultipartBody>;
}

/** How a platform reads and sends files. */
export interface UploadPlatform {
  /** Returns the size of a file on disk; absent if the platform has no files. */
  readonly sizeOnDisk?: (path: string | URL, reject: RejectFile) => Promise<number>;
  readonly build: (file: OpenFile, onProgress: (progress: UploadProgress) => void) => Promise<MultipartBody>;
}

/** Browsers and Workers have `FormData`, but no files on disk. */
const portable: UploadPlatform = { build: platformForm };

/**
 * Checks a file before it is uploaded. This module is loaded on first use. It imports no error classes, because
 * bundlers would move them to a separate chunk; `reject` creates its errors.
 *
 * @throws what `reject` returns when the file is invalid or cannot be read.
 */
export async function openUpload(
  input: FileInput,
  reject: RejectFile,
  maxBytes = Infinity,
  { sizeOnDisk, build } = portable,
): Promise<Upload> {
  const checked = checkFile(input, maxBytes);
  if ('issue' in checked) throw reject(checked.issue);
  const { source, filename } = checked;
  if (source.kind === 'path' && !sizeOnDisk)
    throw reject(issueAt('file', '`file` is a path, and this platform has no files; give a Blob'));
  const size = source.kind === 'path' ? ((await sizeOnDisk?.(source.path, reject)) ?? 0) : sizeOf(source, input.size);
  const issue = validateSize(size, maxBytes);
  if (issue) throw reject(issue);
  const contentType = input.contentType ?? typeOf(source);
  const file: OpenFile = { source, filename, size, contentType, reject };
  let isBuilt = false;
  return {
    isReplayable: source.kind !== 'stream',
    dispose: () => {
      if (!isBuilt) new UploadReader(file, () => undefined).stop();
    },
    build: (onProgress) => {
      isBuilt = true;
      return build(file, onProgress);
    },
  };
}

function sizeOf(source: Exclude<ResolvedFile, { kind: 'path' }>, size = 0): number {
  if (source.kind === 'bytes') return source.bytes.byteLength;
  return source.kind === 'blob' ? source.blob.size : size;
}

/**
 * Creates a `FormData` body. The platform streams a Blob; progress is reported only at the beginning and at the end.
 */
async function platformForm(file: OpenFile, onProgress: (progress: UploadProgress) => void): Promise<MultipartBody> {
  const { source, filename, size, contentType } = file;
  const form = new FormData();
  const blob = source.kind === 'blob' ? source.blob : new Blob(await readAll(file));
  form.append('file', contentType === undefined ? blob : blob.slice(0, size, contentType), filename);
  onProgress({ sentBytes: 0, totalBytes: size });
  return {
    body: { forFetch: () => form },
    headers: {},
    onArrival: () => onProgress({ sentBytes: size, totalBytes: size }),
    failure: () => undefined,
    close: () => undefined,
  };
}

async function readAll(file: OpenFile): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  for await (const chunk of new UploadReader(file, () => undefined).chunks()) chunks.push(chunk);
  return chunks;
}
