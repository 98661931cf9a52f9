import type { AttemptResult } from '../pipeline/send-attempt.js';
import type { RequestContext } from '../pipeline/request-context.js';
import { requestIdOf } from '../errors/errors.js';
import type { WaitReason } from './events.js';

/** Tells whoever looks on that a call waits. */
export function emitWait({ call, scope, emit }: RequestContext, waitMs: number, reason: WaitReason): void {
  emit?.({ type: 'delay', call, attempt: scope.attempts + 1, waitMs, reason });
}

/** Tells whoever looks on what came of an attempt. */
export function emitAttemptResult({ call, scope, emit }: RequestContext, outcome: AttemptResult, sentAt: number): void {
  const attempt = scope.attempts;
  if (outcome.kind === 'fault') {
    emit?.({ type: 'error', call, attempt });
    return;
  }
  const { status, headers } = outcome.answer;
  const durationMs = performance.now() - sentAt;
  emit?.({ type: 'response', call, attempt, status, requestId: requestIdOf(headers), durationMs });
}
