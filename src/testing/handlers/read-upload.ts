import * as errors from '../../resources/messages/attachment-errors.js';
import { badRequest, errorResponse } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { isSite } from '../local-time.js';
import { formOf, readUpTo } from '../http/request-body.js';
import type { MarketplaceSettings } from '../settings.js';
import type { StoredFile } from '../state/attachments.js';

/** An uploaded file. */
type UploadedFile = Pick<StoredFile, 'site_id' | 'filename' | 'type' | 'bytes'>;

const maxBytes = 25 * 1024 * 1024;
/** The maximum size of a multipart body besides its file. */
const maxOverhead = 64 * 1024;

/** Reads an upload: one part `file`. Spec: Errors, Attachments. @throws {ErrorResponse} 400 */
export async function readUpload(call: Call, { attachmentExtensions }: MarketplaceSettings): Promise<UploadedFile> {
  const site_id = querySite(call);
  const form = await readForm(call.request);
  const parts = form.getAll('file');
  if (parts.length > 1) throw badRequest('a call uploads one file');
  const [file] = parts;
  if (!(file instanceof File) || file.size === 0) throw errorResponse(errors.emptyFile);
  if (/[/\\]/.test(file.name)) throw errorResponse(errors.invalidFileName);
  if (file.size > maxBytes) throw errorResponse(errors.fileTooLarge);
  const extension = file.name.split('.').pop()?.toLowerCase() ?? '';
  if (attachmentExtensions && !attachmentExtensions.includes(extension))
    throw badRequest(`the file must be one of ${attachmentExtensions.join(', ')}`);
  return { site_id, filename: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** Reads the site of a file. @throws {ErrorResponse} 400 when it is missing or no site */
export function querySite({ query }: Call): string {
  const site_id = query.get('site_id') ?? '';
  if (site_id === '') throw errorResponse(errors.siteMissing);
  if (!isSite(site_id)) throw badRequest(`site_id must be a site such as MLA, not ${site_id}`);
  return site_id;
}

/** Reads a form. @throws {ErrorResponse} 400 when it is larger than any upload */
async function readForm(request: Request): Promise<FormData> {
  const limit = maxBytes + maxOverhead;
  const announced = Number(request.headers.get('content-length') ?? 0);
  const bytes = announced > limit ? undefined : await readUpTo(request, limit);
  if (!bytes) throw errorResponse(errors.fileTooLarge);
  return formOf(bytes, request.headers);
}
