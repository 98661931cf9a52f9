import { requestIdOf } from '../errors/response-errors.js';
import type { Redactor } from '../errors/redactor.js';
import { ignoreErrors } from '../scope/wait.js';
import type { CallEvent, CallInfo, Logger, Tracing, WaitReason } from './hooks.js';

/** Receives the events of calls. */
export type Emit = (event: CallEvent) => void;

/** An observer of the user. It may be asynchronous; its result is not awaited. */
type Sink = (event: CallEvent) => unknown;

/** The part of a call that its events need. */
interface EmittingCall {
  readonly info: CallInfo;
  readonly attempts: number;
  readonly emit: Emit | undefined;
}

/** Emits that a call waits before its next attempt. */
export function emitWait({ info, attempts, emit }: EmittingCall, waitMs: number, reason: WaitReason): void {
  emit?.({ type: 'wait', call: info, attempt: attempts + 1, waitMs, reason });
}

/**
 * Emits the result of an attempt; without a `response`, the attempt failed. `sentAt` is a time of `performance.now()`.
 */
export function emitAttemptResult(
  { info: call, attempts: attempt, emit }: EmittingCall,
  response: { readonly status: number; readonly headers: Pick<Headers, 'get'> } | undefined,
  sentAt: number,
  redactor: Redactor,
): void {
  if (!response) {
    emit?.({ type: 'error', call, attempt });
    return;
  }
  const { status, headers } = response;
  const durationMs = performance.now() - sentAt;
  const echoed = requestIdOf(headers);
  const requestId = echoed && redactor.secrets(echoed);
  emit?.({ type: 'response', call, attempt, status, requestId, durationMs });
}

/** Returns what passes the events of a client on to its logger and its tracing; `undefined` if it has neither. */
export function emitterOf(logger: Logger | undefined, tracing: Tracing | undefined): Emit | undefined {
  const all: readonly (Sink | undefined)[] = [logger && logSink(logger), tracing?.observe.bind(tracing)];
  const sinks = all.filter((sink) => sink !== undefined);
  if (sinks.length === 0) return undefined;
  return (event) => {
    for (const sink of sinks) ignoreErrors(() => sink(event));
  };
}

/** A logger whose methods may be asynchronous. */
type AnyLogger = Readonly<Record<keyof Logger, (message: string, fields: object) => unknown>>;

function logSink(logger: AnyLogger): Sink {
  return (event) => {
    const { endpoint } = event.call;
    const what = `${endpoint.method} ${endpoint.path}`;
    switch (event.type) {
      case 'response': {
        const { attempt, status, requestId } = event;
        const durationMs = Math.round(event.durationMs);
        const fields = { endpoint: endpoint.name, attempt, status, requestId, durationMs };
        return logger.debug(`${what} responded ${status} after ${durationMs} ms`, fields);
      }
      case 'wait': {
        const { attempt, reason } = event;
        const waitMs = Math.round(event.waitMs);
        const why = reason === 'fault' ? 'after a fault' : 'for the rate limit';
        const fields = { endpoint: endpoint.name, attempt, waitMs, reason };
        return logger.info(`${what} waits ${waitMs} ms ${why}, before attempt ${attempt}`, fields);
      }
      case 'end': {
        if (!(event.error instanceof Error)) return undefined;
        const { attempts: attempt, status } = event;
        const durationMs = Math.round(event.durationMs);
        const { name: error, message } = event.error;
        return logger.warn(message, { endpoint: endpoint.name, error, attempt, status, durationMs });
      }
      default:
        return undefined;
    }
  };
}
