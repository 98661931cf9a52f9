import { responseHeaders } from '../errors/response-headers.js';
import type { Requester } from '../operation/requester.js';
import { emitWait } from '../options/events.js';
import { confirmWindowMs, confirmWrite } from '../recover/confirm-write.js';
import { errorWithoutResponse } from '../recover/failure-error.js';
import { failureOf, mayHaveSucceeded, withoutEffect } from '../recover/failure.js';
import type { FailedAttempt } from '../recover/failure.js';
import { nextStep } from '../recover/next-step.js';
import { apiError } from '../response/api-error.js';
import { readError } from '../response/read-error.js';
import type { RequestAttempt } from './attempt.js';
import type { ClientCall, CallResult } from './call.js';

/**
 * Does what `nextStep` says after a failed attempt: waits, replaces the token, or reads the write back.
 *
 * @returns the output of a write that was read back; `undefined` if the request is to be sent again.
 * @throws the error of the attempt, if nothing else is to be done.
 */
export async function recover(
  call: ClientCall,
  attempt: RequestAttempt,
  result: FailedAttempt,
  requester: Requester,
): Promise<CallResult | undefined> {
  const { endpoint } = call.request;
  const earlier = call.outcome;
  let failure = failureOf(result, endpoint, call.scope.reason);
  const isUnknown = mayHaveSucceeded(endpoint.retry, failure);
  // A retry that certainly did nothing says nothing about the attempts before it.
  call.endAttempt(isUnknown ? 'unknown' : earlier);
  let earlierUnknown = earlier === 'unknown';
  let isConfirmed = false;
  for (;;) {
    const step = nextStep(failure, call.stateAfter(attempt, isConfirmed));
    switch (step.kind) {
      case 'replaceToken':
        if (await replaceToken(call)) return undefined;
        break;
      case 'confirm': {
        // The queue of what reads it back is another one.
        if (step.waitsForTurn) await call.scope.sleep(call.turnQueue.pausedMs);
        const found = await readBack(call, requester, step.once ? 0 : windowAfter(result, call));
        if (found) return found;
        isConfirmed = true;
        earlierUnknown = call.outcome === 'unknown';
        if (call.outcome === 'notDone' && isUnknown) failure = withoutEffect(failure);
        break;
      }
      case 'retry':
        await waitBefore(call, step.waitMs);
        return undefined;
      case 'throw': {
        const outcomeUnknown = mayHaveSucceeded(endpoint.retry, failure);
        if (!result.response) throw errorWithoutResponse(result, outcomeUnknown, call);
        const { read = readError(result.response, endpoint), didNothing = false } = failure;
        throw apiError(read, result.response, call, { outcomeUnknown, earlierUnknown, didNothing });
      }
    }
  }
}

function windowAfter(result: FailedAttempt, { timeoutMs, options }: ClientCall): number {
  return options.confirmWindowMs ?? confirmWindowMs(result.response ? undefined : result.error, timeoutMs);
}

/** Replaces a token that got a 401; `false` if there is no other. */
async function replaceToken(call: ClientCall): Promise<boolean> {
  const rejected = call.token;
  if (rejected === undefined) return false;
  call.rejectedToken = rejected;
  const replacement = await call.runtime.shared.tokens?.replace(rejected, call.scope);
  if (replacement === undefined) return false;
  call.token = replacement;
  return true;
}

/** Reads back a write, and returns its output if it was carried out. */
async function readBack(call: ClientCall, requester: Requester, windowMs: number): Promise<CallResult | undefined> {
  const limits = { signal: call.options.signal, confirmWindowMs: windowMs };
  const { confirmation, response } = await confirmWrite(requester, call, call.scope, limits);
  if (confirmation.done) {
    const { status, headers } = response;
    return call.resultOf(confirmation.output, { status, headers: responseHeaders(headers) });
  }
  call.endAttempt(confirmation.done === false ? 'notDone' : 'unknown');
  return undefined;
}

/** Waits before a retry. After a 429 for which its queue waits, the call waits like the others when it acquires its next attempt. */
async function waitBefore(call: ClientCall, waitMs: number | undefined): Promise<void> {
  if (waitMs === undefined) return;
  call.faultRetries += 1;
  call.runtime.shared.budget.withdraw();
  emitWait(call, waitMs, 'fault');
  await call.scope.sleep(waitMs);
}
