import { BookView } from '../recover/book-view.js';
import type { ConfirmResult, UnconfirmedCall } from '../recover/confirm-write.js';
import { RememberedWrite } from '../recover/memory-book.js';
import type { BuiltRequest } from '../request/built-request.js';
import type { ClientRuntime } from './client-runtime.js';

/** A write that a program stored before it was sent, and that it reads back. */
interface StoredCall {
  readonly write: RememberedWrite;
  readonly call: UnconfirmedCall;
  /** Takes back a "no" that is not certain. */
  judge(result: ConfirmResult): ConfirmResult;
}

/** Finds a stored write among those of this process, or takes it for one of an earlier process. */
export function storedCall(
  request: BuiltRequest,
  token: string | undefined,
  sentAt: number,
  { shared, options }: ClientRuntime,
): StoredCall {
  const { endpoint, input } = request;
  const { writes: memory } = shared;
  const stored = new RememberedWrite({ endpoint, input, token, calledAt: sentAt, sentAt });
  const { write, isUncertain } = memory.askFor(stored);
  const view = new BookView({ endpoint, write, memory, timeoutMs: options.timeoutMs });
  const firstSentAt = performance.now() - (Date.now() - write.sentAt);
  return {
    write,
    call: { request, options: {}, token, firstSentAt, view },
    judge: (result) => {
      if (result.confirmation.done !== false) return result;
      if (write.isInFlight) return { ...result, confirmation: { unknown: 'the write is being sent', mayChange: true } };
      if (isUncertain)
        return { ...result, confirmation: { unknown: 'an equal write was sent later, and may be this one' } };
      return result;
    },
  };
}
