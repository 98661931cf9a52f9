import { BookView } from '../recover/book-view.js';
import { confirmWrite, readBefore } from '../recover/confirm-write.js';
import type { UnconfirmedCall } from '../recover/confirm-write.js';
import { RememberedWrite } from '../recover/memory-book.js';
import type { PendingWrite, WriteHook, WriteRecord, WriteTurn } from '../recover/write-hook.js';
import { targetOf } from '../recover/write-target.js';
import type { Requester } from '../operation/requester.js';
import type { ClientCall } from './call.js';

/** Asks a hook about the write of a call. */
export function askHook(hook: WriteHook, call: ClientCall, requester: Requester): Promise<WriteTurn> {
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
    write: Pick<WriteRecord, 'input' | 'sentAt' | 'before' | 'aheadMs'>,
    view: BookView,
  ): UnconfirmedCall => ({
    request: { endpoint, input: write.input },
    options,
    token,
    sentAt: performance.now() - (Date.now() - write.sentAt),
    view,
    before: write.before,
    aheadMs: write.aheadMs ?? 0,
  });
  const replaced = endpoint.replaces?.(input);
  return {
    endpoint,
    input,
    target: targetOf(endpoint, input, token),
    timeoutMs,
    aheadMs: memory.clock.aheadMs,
    replaced: replaced && pendingWrite(replaced, call, requester),
    readBefore: () => readBefore(requester, unconfirmed({ input, sentAt: Date.now() }, call.view), scope, signal),
    confirm: async (earlier, stored) => {
      const described = { ...earlier, endpoint, token, calledAt: earlier.sentAt };
      const write = memory.get(earlier.id) ?? memory.add(new RememberedWrite(described));
      const view = new BookView({ endpoint, write: earlier, memory, stored, timeoutMs });
      const limits = { signal, confirmWindowMs: 0, throwsFailures: true };
      const { confirmation } = await confirmWrite(requester, unconfirmed(earlier, view), scope, limits);
      if (confirmation.done) write.state = 'done';
      return confirmation;
    },
  };
}
