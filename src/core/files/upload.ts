import { checkFile, issueAt, validateSize } from './file-source.js';
import type { FileInput, ResolvedFile } from './file-source.js';
import type { UploadProgress } from './progress.js';
import { UploadReader } from './upload-reader.js';
import type { Bytes } from './bytes.js';
import type { OpenFile, RejectFile } from './upload-reader.js';

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

/** How a platform reads and sends files. */
export interface UploadPlatform {
  /** The length of a file on disk; absent where the platform has none. */
  readonly sizeOnDisk?: ((path: string | URL, reject: RejectFile) => Promise<number>) | undefined;
  readonly build: (file: OpenFile, onProgress: (progress: UploadProgress) => void) => Promise<MultipartBody>;
}

/**
 * Checks and resolves a file before it is uploaded. This file is loaded on first use; what it imports of the client would
 * be split from the rest in every bundle, so `reject` creates its errors.
 *
 * @throws what `reject` returns when the file is not acceptable or cannot be read.
 */
export async function prepareUpload(
  { sizeOnDisk, build }: UploadPlatform,
  input: FileInput,
  reject: RejectFile,
  maxBytes = Infinity,
): Promise<Upload> {
  const checked = checkFile(input, maxBytes);
  if ('issue' in checked) throw reject(checked.issue);
  const { source, filename } = checked;
  if (source.kind === 'path' && !sizeOnDisk)
    throw reject(issueAt('file', '`file` is a path, and this platform has no files; give a Blob'));
  const size = source.kind === 'path' ? ((await sizeOnDisk?.(source.path, reject)) ?? 0) : sizeOf(source, input.size);
  const issue = validateSize(size, maxBytes);
  if (issue) throw reject(issue);
  const file: OpenFile = { source, filename, size, contentType: input.contentType, reject };
  return { isReplayable: source.kind !== 'stream', build: (onProgress) => build(file, onProgress) };
}

function sizeOf(source: Exclude<ResolvedFile, { kind: 'path' }>, size = 0): number {
  if (source.kind === 'bytes') return source.bytes.byteLength;
  return source.kind === 'blob' ? source.blob.size : size;
}

/** The platform's form: it knows its length and streams a Blob; it reports progress at the beginning and end only. */
export async function platformForm(
  file: OpenFile,
  onProgress: (progress: UploadProgress) => void,
): Promise<MultipartBody> {
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
