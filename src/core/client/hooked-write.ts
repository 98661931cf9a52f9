import type { WriteBook } from '../operation/write-book.js';
import { BookView } from '../recover/book-view.js';
import { confirmWrite, readBefore } from '../recover/confirm-write.js';
import type { UnconfirmedCall } from '../recover/confirm-write.js';
import { RememberedWrite } from '../recover/memory-book.js';
import type { PendingWrite, WriteHook, WriteRecord, WriteTurn } from '../recover/write-hook.js';
import type { Requester } from '../operation/requester.js';
import type { ClientCall } from './call.js';

/** Asks a hook about the write of a call. */
export function askHook(hook: WriteHook, call: ClientCall, requester: Requester): Promise<WriteTurn> {
  return call.scope.race(() => hook.begin(pendingWrite(call, requester)));
}

function pendingWrite(call: ClientCall, requester: Requester): PendingWrite {
  const { request, scope, options, token, timeoutMs, view } = call;
  const { endpoint, input } = request;
  const { signal } = options;
  const now: UnconfirmedCall = { request, options, token, firstSentAt: performance.now(), view };
  return {
    endpoint,
    input,
    target: call.described().target,
    timeoutMs,
    readBefore: () => readBefore(requester, now, scope, signal),
    confirm: async (earlier, stored) => {
      const write = rememberedWrite(earlier, call);
      const limits = { signal, confirmWindowMs: 0, throwsFailures: true };
      const { confirmation } = await confirmWrite(requester, earlierCall(earlier, stored, call), scope, limits);
      if (confirmation.done) write.state = 'done';
      return confirmation;
    },
  };
}

/** Finds a write of an earlier run in the book of this process, or enters it. */
function rememberedWrite({ id, target, input, sentAt, state }: WriteRecord, call: ClientCall): RememberedWrite {
  const { writes } = call.runtime.shared;
  const known = writes.get(id);
  if (known) return known;
  const { endpoint } = call.request;
  const write = new RememberedWrite({
    ...{ endpoint, input, id, target, sentAt, state },
    token: call.token,
    calledAt: sentAt,
  });
  writes.add(write);
  return write;
}

function earlierCall(earlier: WriteRecord, stored: WriteBook | undefined, call: ClientCall): UnconfirmedCall {
  const { request, options, token, runtime, timeoutMs } = call;
  const { endpoint } = request;
  return {
    request: { endpoint, input: earlier.input },
    options,
    token,
    firstSentAt: performance.now() - (Date.now() - earlier.sentAt),
    view: new BookView({ endpoint, write: earlier, memory: runtime.shared.writes, stored, timeoutMs }),
    before: earlier.before,
  };
}
