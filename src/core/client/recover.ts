import { responseHeaders } from '../errors/response-headers.js';
import type { ConfirmOptions } from '../errors/seller-error.js';
import type { Requester } from '../operation/api-promise.js';
import { emitWait } from '../options/hooks.js';
import { confirmWindowMs, confirmWrite, readBefore } from '../recover/confirm-write.js';
import type { ConfirmResult, UnconfirmedCall } from '../recover/confirm-write.js';
import { errorWithoutResponse, failureOf, mayHaveSucceeded, withoutEffect } from '../recover/failure.js';
import type { FailedAttempt } from '../recover/failure.js';
import { BookView, RememberedWrite } from '../recover/memory-book.js';
import { nextStep } from '../recover/next-step.js';
import { targetOf } from '../recover/write-hook.js';
import type { PendingWrite, WriteHook, WriteRecord, WriteDecision } from '../recover/write-hook.js';
import type { BuiltRequest } from '../request/build-request.js';
import { apiError, readError } from '../response/read-error.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import type { RequestAttempt } from './attempt.js';
import type { CallResult, ClientCall, ClientRuntime } from './call.js';

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

/** Asks a hook about the write of a call. */
export function askHook(hook: WriteHook, call: ClientCall, requester: Requester): Promise<WriteDecision> {
  return call.scope.race(() => hook.begin(pendingWrite(call.request, call, requester)));
}

function pendingWrite(
  { endpoint, input }: Pick<PendingWrite, 'endpoint' | 'input'>,
  call: ClientCall,
  requester: Requester,
): PendingWrite {
  const { scope, options, token, timeoutMs, runtime } = call;
  const { signal } = options;
  const memory = runtime.shared.writes;
  const unconfirmed = (
    write: Pick<WriteRecord, 'input' | 'sentAt' | 'before'>,
    view: BookView,
    aheadMs = 0,
  ): UnconfirmedCall => ({
    request: { endpoint, input: write.input },
    options,
    token,
    sentAt: performance.now() - (Date.now() - write.sentAt),
    view,
    before: write.before,
    aheadMs,
  });
  const replaced = endpoint.replaces?.(input);
  return {
    endpoint,
    input,
    target: targetOf(endpoint, input, token),
    timeoutMs,
    memory,
    replaced: replaced && pendingWrite(replaced, call, requester),
    readBefore: () => readBefore(requester, unconfirmed({ input, sentAt: Date.now() }, call.view), scope, signal),
    confirm: async (earlier, stored) => {
      const described = { ...earlier, endpoint, token, calledAt: earlier.sentAt };
      const write = memory.get(earlier.id) ?? memory.add(new RememberedWrite(described));
      const view = new BookView({ endpoint, write: earlier, memory, stored, timeoutMs, mayBeInFlight: true });
      const limits = { signal, confirmWindowMs: 0, throwsFailures: true };
      const { confirmation } = await confirmWrite(
        requester,
        unconfirmed(earlier, view, memory.aheadMs(earlier)),
        scope,
        limits,
      );
      if (confirmation.done) write.state = 'done';
      return confirmation;
    },
  };
}

/** A write that a program stored before it was sent. */
interface StoredCall {
  readonly request: BuiltRequest;
  readonly token: string | undefined;
  readonly sentAt: number;
}

/** Reads back a stored write: one of this process, or of an earlier one. A "no" that is not certain is none. */
export async function confirmStored(
  requester: Requester,
  { request, token, sentAt }: StoredCall,
  { shared, options: { timeoutMs } }: ClientRuntime,
  scope: CancelScope,
  { signal, confirmWindowMs: given }: ConfirmOptions,
): Promise<ConfirmResult> {
  const { endpoint, input } = request;
  const { writes: memory } = shared;
  const stored = new RememberedWrite({ endpoint, input, token, calledAt: sentAt, sentAt });
  const { write, isUncertain } = memory.askFor(stored);
  // Until its call ends, an entry may also be that of an equal write.
  if (write.isInFlight)
    return {
      confirmation: { unknown: 'the write is being sent', mayChange: true },
      response: { status: 200, headers: new Headers() },
    };
  const elapsedMs = Date.now() - write.sentAt;
  const view = new BookView({ endpoint, write, memory, timeoutMs });
  const call = { request, options: {}, token, sentAt: performance.now() - elapsedMs, aheadMs: 0, view };
  const windowMs = given ?? (elapsedMs > timeoutMs ? 0 : confirmWindowMs(undefined, 0));
  const result = await confirmWrite(requester, call, scope, { signal, confirmWindowMs: windowMs });
  if (result.confirmation.done !== false) return result;
  const unknown = 'an equal write was sent later, and may be this one';
  return isUncertain ? { ...result, confirmation: { unknown } } : result;
}
