import type { BufferedResponse } from './buffered-response.js';
import type { RequestContext } from './request-context.js';
import type { MultipartBody } from '../files/multipart.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { Transport } from './transport.js';

/** What came of one attempt. */
export type AttemptResult =
  | { readonly kind: 'answer'; readonly answer: BufferedResponse; readonly response?: Response }
  | {
      readonly kind: 'fault';
      readonly error: unknown;
      /** Whether the request had left. */
      readonly sent: boolean;
      /** The status of the answer whose body was lost. */
      readonly status?: number | undefined;
    };

/**
 * Sends a request once, bounded by `timeoutMs` with its body, and reads the answer. Of an upload, the limit bounds the
 * silence: how long the whole takes is a matter of its length.
 */
export async function sendAttempt(
  errand: RequestContext,
  send: Transport,
  settings: ResolvedOptions,
): Promise<AttemptResult> {
  const { endpoint, url, options, scope, call } = errand;
  const controller = new AbortController();
  const { signal } = controller;
  let sent = false;
  let heard: Response | undefined;
  let made: MultipartBody | undefined;
  const onSend = (): void => {
    sent = true;
    scope.outcomeUnknown = endpoint.retry !== 'safe';
  };
  const run = async (restart: () => void): Promise<AttemptResult> => {
    if (errand.upload) {
      made = await errand.upload.build((progress) => {
        restart();
        options.onUploadProgress?.(progress);
      });
    }
    const body = made?.body ?? errand.body;
    const headers: Record<string, string> = { ...errand.headers, ...made?.headers };
    if (errand.token !== undefined) headers.authorization = `Bearer ${errand.token}`;
    const { attempts } = scope;
    heard = await send({ endpoint, attempt: attempts, call, url, headers, body, signal, onSend });
    if (signal.aborted) throw abandoned(heard, signal);
    // A service that was sent half a file answers something; what went wrong is the file.
    const failure = made?.failure();
    if (failure) throw failure;
    if (heard.ok) made?.onArrival();
    if (endpoint.responseBody === 'stream' && heard.ok) {
      return { kind: 'answer', answer: answerOf(heard, '', url), response: heard };
    }
    return { kind: 'answer', answer: answerOf(heard, await heard.text(), url) };
  };
  try {
    return await scope.race(
      run,
      (error) => {
        controller.abort(error);
      },
      options.timeoutMs ?? settings.timeoutMs,
    );
  } catch (error) {
    if (made?.failure()) return { kind: 'fault', error: made.failure(), sent };
    // The status decides the class of an error, also when its body was lost.
    if (heard && !heard.ok && error !== scope.reason) return { kind: 'answer', answer: answerOf(heard, '', url) };
    return { kind: 'fault', error, sent, status: heard?.status };
  } finally {
    made?.dispose();
  }
}

/** A `fetch` that does not heed its signal may answer after the end: the body is let go, so that its socket is free. */
function abandoned(response: Response, signal: AbortSignal): unknown {
  response.body?.cancel().catch(() => undefined);
  return signal.reason;
}

function answerOf({ status, headers }: Response, text: string, url: string): BufferedResponse {
  return { status, headers, text, url };
}
