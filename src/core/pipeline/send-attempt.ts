import type { MultipartBody } from '../files/upload.js';
import { ignoreErrors } from '../ignore-errors.js';
import { mayHaveSucceeded } from '../retry/policy.js';
import type { ErrorInBody } from '../errors/documented-error.js';
import { exchangeOnce } from './exchange.js';
import { errorInBody, isOk } from './parse-body.js';
import type { BufferedResponse } from './parse-body.js';
import type { RequestContext } from './request-context.js';
import type { BodyText, OutgoingRequest, Transport, TransportResponse } from '../transport/transport.js';

/** The result of one attempt. */
export type AttemptResult =
  | {
      readonly kind: 'response';
      readonly response: BufferedResponse;
      /** The error in the body of a success. */
      readonly errorInBody?: ErrorInBody | undefined;
      /** The unread body of a download. */
      readonly download?: TransportResponse;
    }
  | {
      readonly kind: 'error';
      readonly error: unknown;
      /** Whether the request had been sent. */
      readonly sent: boolean;
      /** Whether a response had begun to arrive. */
      readonly hasResponded: boolean;
      /** The status of the response whose body was lost. */
      readonly status?: number | undefined;
    };

/**
 * Sends a request once and reads the response, both within `timeoutMs`. For an upload, `timeoutMs` limits the time
 * between two chunks, because the duration of the whole upload depends on the size of the file.
 */
export async function sendAttempt(context: RequestContext, send: Transport): Promise<AttemptResult> {
  const { request, options, scope, call, timeoutMs, maxResponseBytes } = context;
  const { endpoint, url } = request;
  const controller = new AbortController();
  const { signal } = controller;
  let sent = false;
  let hasResponded = false;
  let received: TransportResponse | undefined;
  let multipart: MultipartBody | undefined;
  const onSend = (): void => {
    sent = true;
    context.outcomeUnknown = mayHaveSucceeded(endpoint.retry, { kind: 'noResponse' });
  };
  const run = async (restartTimeout: () => void): Promise<AttemptResult> => {
    if (context.upload) {
      multipart = await context.upload.build((progress) => {
        restartTimeout();
        ignoreErrors(() => options.onUploadProgress?.(progress));
      });
    }
    const headers = attemptHeaders(context, multipart);
    const onResponse = (): void => {
      hasResponded = true;
    };
    const attempt = context.attempts;
    const followRedirects = context.downloads?.redirectFollower(headers, request.isSecretHeader);
    const ends = { timeoutMs, signal, onSend, onResponse };
    const isDownload = endpoint.responseBody === 'stream';
    const receive = async (body: OutgoingRequest['body']): Promise<BufferedResponse> => {
      received = await send({ endpoint, attempt, call, url, headers, body, followRedirects, ...ends });
      if (signal.aborted) {
        // A `fetch` that ignores its signal may respond after the attempt has ended.
        received.discard?.();
        throw signal.reason;
      }
      // If the file could not be read completely, that is the reason of the failure, whatever the service responded.
      const uploadError = multipart?.failure();
      if (uploadError) throw uploadError;
      if (isOk(received.status)) multipart?.onArrival();
      return isDownload && isOk(received.status)
        ? buffered(received)
        : buffered(received, await received.text(maxResponseBytes));
    };
    const response = await (multipart ? receive(multipart.body) : exchangeOnce(context, receive));
    if (!isOk(response.status)) return { kind: 'response', response };
    if (isDownload && received) return { kind: 'response', response, download: received };
    return { kind: 'response', response, errorInBody: errorInBody(endpoint, response) };
  };
  try {
    return await scope.race(run, (error) => controller.abort(error), timeoutMs);
  } catch (error) {
    const uploadError = multipart?.failure();
    // The service did not receive the end of the file, so it cannot have stored the file.
    if (uploadError) return { kind: 'error', error: uploadError, sent: false, hasResponded };
    // The status decides the class of an error, even if the body was lost.
    if (received && !isOk(received.status) && error !== scope.reason)
      return { kind: 'response', response: buffered(received) };
    return { kind: 'error', error, sent, hasResponded, status: received?.status };
  } finally {
    multipart?.close();
  }
}

/** Whether an attempt succeeded: its status is a success, and its body contains no error. */
export function hasSucceeded(result: AttemptResult): result is AttemptResult & { kind: 'response' } {
  return result.kind === 'response' && isOk(result.response.status) && !result.errorInBody;
}

function attemptHeaders(
  { request, token, userAgent }: RequestContext,
  multipart: MultipartBody | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { ...request.headers, ...multipart?.headers };
  if (userAgent !== undefined) headers['user-agent'] ??= userAgent;
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  return headers;
}

const noBody: BodyText = { text: '', isTruncated: false };

function buffered({ status, headers }: TransportResponse, { text, isTruncated } = noBody): BufferedResponse {
  return { status, headers, text, isTruncated };
}
