import type { FileInput } from './file-source.js';
import { platformForm, prepareUpload } from './upload.js';
import type { Upload } from './upload.js';
import type { RejectFile } from './upload-reader.js';

/** Opens a file for an upload in a browser or a Worker, which have `FormData` but no files on disk. */
export function openUpload(input: FileInput, reject: RejectFile, maxBytes?: number): Promise<Upload> {
  return prepareUpload({ build: platformForm }, input, reject, maxBytes);
}
