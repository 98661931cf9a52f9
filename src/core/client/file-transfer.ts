import { platform } from '#platform';
import { ConnectionError, InvalidInputError } from '../errors/errors.js';
import type { Download } from '../files/download.js';
import type { FileInput } from '../files/file-source.js';
import { ignoreErrors } from '../scope/ignore-errors.js';
import type { Issue } from '../errors/issue.js';
import type { TransportResponse } from '../transport/transport.js';
import type { RequestContext } from './request-context.js';

/** Loads the modules for files, which other calls do not need, and opens the file that is sent. */
export async function loadTransfer(context: RequestContext): Promise<void> {
  const { requestBody, responseBody } = context.request.endpoint;
  if (requestBody === 'multipart') await openFile(context);
  if (responseBody === 'stream') context.loaded = { downloads: await import('../files/open-download.js') };
}

async function openFile(context: RequestContext): Promise<void> {
  const { openUpload } = await platform.loadUploads();
  const { bodyValue, endpoint } = context.request;
  const reject = (issue: Issue, prefix?: string): Error => new InvalidInputError([issue], prefix);
  const upload = await openUpload(bodyValue as FileInput, reject, endpoint.maxUploadBytes);
  context.loaded = { upload };
  // The call has ended meanwhile.
  if (context.scope.reason) upload.dispose();
}

/** The file in a response; `undefined` if the call is not a download. */
export function downloadFrom(
  response: TransportResponse,
  { request: { endpoint }, scope, options, timeoutMs, loaded }: RequestContext,
): Download | undefined {
  return loaded.downloads?.openDownload(response, scope, {
    what: `${endpoint.method} ${endpoint.path}`,
    timeoutMs,
    onProgress: (progress) => ignoreErrors(() => options.onDownloadProgress?.(progress)),
    lost: (message, cause) => new ConnectionError(message, { cause }),
    reject: (issue, prefix) => new InvalidInputError([issue], prefix),
  });
}
