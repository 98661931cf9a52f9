import type { ConfirmOptions } from '../errors/confirmation.js';
import type { Requester } from '../operation/requester.js';
import { BookView } from '../recover/book-view.js';
import { confirmWindowMs, confirmWrite } from '../recover/confirm-write.js';
import type { ConfirmResult } from '../recover/confirm-write.js';
import { RememberedWrite } from '../recover/memory-book.js';
import type { BuiltRequest } from '../request/built-request.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import type { ClientRuntime } from './client-runtime.js';

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
