import { platform } from '#platform';
import { ConnectionError, InvalidInputError } from '../errors/errors.js';
import type { Issue } from '../errors/issue.js';
import type { Download } from '../files/download.js';
import type { FileInput } from '../files/file-source.js';
import type { EndpointExchange } from '../operation/endpoint.js';
import { isOk } from '../response/body.js';
import type { BufferedResponse } from '../response/body.js';
import { ignoreErrors } from '../scope/wait.js';
import type { TransportResponse } from '../transport/transport.js';
import type { ClientCall, LoadedParts } from './call.js';

/** Loads the modules of files and of the exchange of an endpoint, and opens the file that is sent. */
export async function loadParts(call: ClientCall): Promise<LoadedParts> {
  const { endpoint, bodyValue } = call.request;
  const reject = (issue: Issue, prefix?: string): Error => new InvalidInputError([issue], prefix);
  if (endpoint.loadExchange) return { exchange: await endpoint.loadExchange(bodyValue, reject) };
  if (endpoint.responseBody === 'stream') return { downloads: await import('../files/open-download.js') };
  const uploads = await platform.loadUploads();
  const upload = await uploads.openUpload(bodyValue as FileInput, reject, endpoint.maxUploadBytes);
  // The call has ended meanwhile.
  if (call.scope.reason) upload.dispose();
  return { upload };
}

/** Makes one attempt with the exchange of the endpoint. `send` sends a body and receives the response. */
export async function exchangeOnce(
  exchange: EndpointExchange,
  url: string,
  send: (body: string) => Promise<BufferedResponse>,
): Promise<BufferedResponse> {
  let response: BufferedResponse | undefined;
  try {
    const value = await exchange(url, async (text) => {
      response = await send(text);
      // The call creates the error of this response, or retries.
      if (!isOk(response.status) || response.isTruncated) throw new Error('no result');
      return response.text;
    });
    if (!response) throw new TypeError('the exchange of the endpoint sent nothing');
    response.result = { value };
    return response;
  } catch (error) {
    if (!response) throw error;
    // The error of the exchange is not kept: that of graphql-request prints the whole request.
    response.result = 'unreadable';
    return response;
  }
}

/** The file in a response; `undefined` if the call is not a download. */
export function downloadFrom(response: TransportResponse, call: ClientCall): Download | undefined {
  const { request, scope, options, timeoutMs, loaded } = call;
  return loaded.downloads?.openDownload(response, scope, {
    what: `${request.endpoint.method} ${request.endpoint.path}`,
    timeoutMs,
    onProgress: (progress) => ignoreErrors(() => options.onDownloadProgress?.(progress)),
    lost: (message, cause) => new ConnectionError(message, { cause }),
    reject: (issue, prefix) => new InvalidInputError([issue], prefix),
  });
}
