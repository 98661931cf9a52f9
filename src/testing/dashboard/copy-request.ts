import type { Bytes } from '../../core/files/file-source.js';
import { formOf, readUpTo } from '../http/request-body.js';

/** A file of a multipart form. */
export interface UploadedPart {
  /** The name of the part, e.g. `file`. */
  readonly part: string;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** The SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
}

/** What a request contains. */
interface CopiedRequest {
  readonly requestBody: string | null;
  readonly files: readonly UploadedPart[] | null;
}

/** The longest body that is recorded, in characters. */
export const maxBodyLength = 1024 * 1024;
/** Larger than the maximum upload of 25 MB. */
const maxFormBytes = 32 * 1024 * 1024;

/** Reads a copy of a request: its text, or the files of its form. The request stays unread. */
export async function copyRequest(request: Request): Promise<CopiedRequest> {
  if (!request.body) return { requestBody: null, files: null };
  const isForm = (request.headers.get('content-type') ?? '').startsWith('multipart/');
  const limit = isForm ? maxFormBytes : 4 * maxBodyLength;
  const bytes = await readUpTo(request.clone(), limit).catch(() => undefined);
  if (!bytes) return { requestBody: null, files: null };
  if (isForm) return { requestBody: null, files: await filesOf(bytes, request.headers) };
  return { requestBody: new TextDecoder().decode(bytes).slice(0, maxBodyLength), files: null };
}

async function filesOf(bytes: Bytes, headers: Headers): Promise<UploadedPart[]> {
  const files = [...(await formOf(bytes, headers))].flatMap(([part, value]) =>
    value instanceof File ? [{ part, file: value }] : [],
  );
  return Promise.all(files.map(({ part, file }) => describeFile(part, file)));
}

async function describeFile(part: string, file: File): Promise<UploadedPart> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { part, filename: file.name, type: file.type, size: file.size, sha256 };
}
