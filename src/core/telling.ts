import type { Outcome } from './attempt.js';
import type { Errand } from './errand.js';
import { requestIdOf } from './errors.js';
import type { WaitReason } from './events.js';

/** Tells whoever looks on that a call waits. */
export function tellWait({ call, bounds, emit }: Errand, waitMs: number, reason: WaitReason): void {
  emit?.({ type: 'wait', call, attempt: bounds.attempts + 1, waitMs, reason });
}

/** Tells whoever looks on what came of an attempt. */
export function tellOutcome({ call, bounds, emit }: Errand, outcome: Outcome, sentAt: number): void {
  const attempt = bounds.attempts;
  if (outcome.kind === 'fault') {
    emit?.({ type: 'fault', call, attempt });
    return;
  }
  const { status, headers } = outcome.answer;
  const durationMs = performance.now() - sentAt;
  emit?.({ type: 'answer', call, attempt, status, requestId: requestIdOf(headers), durationMs });
}
