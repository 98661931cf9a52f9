import type { Endpoint } from '../operation/endpoint.js';
import type { Requester } from '../operation/requester.js';
import type { WriteBook } from '../operation/write-book.js';
import type { BuiltRequest } from '../request/built-request.js';
import { BookView } from '../recover/book-view.js';
import { confirmWrite, readBefore } from '../recover/confirm-write.js';
import type { UnconfirmedCall } from '../recover/confirm-write.js';
import { nextWriteId } from '../recover/memory-book.js';
import type { MemoryBook, RememberedWrite } from '../recover/memory-book.js';
import { userOf } from '../recover/user-of-token.js';
import type { PendingWrite, WriteHook, WriteRecord, WriteTurn } from '../recover/write-hook.js';
import { contentOf, targetOf } from '../recover/write-target.js';
import type { InternalOptions } from '../scope/call-options.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import type { ClientRuntime } from './client-runtime.js';

/** What the hook needs of a call. */
interface CallToHook {
  readonly scope: CancelScope;
  readonly options: InternalOptions;
  readonly token: string | undefined;
}

/** A call that writes, as the book of its seller and the hook of its client see it. */
export class BookedCall {
  readonly #endpoint: Endpoint;
  readonly #input: unknown;
  readonly #memory: MemoryBook;
  readonly #timeoutMs: number;
  readonly #calledAt = Date.now();
  readonly #isBooked: boolean;
  #turn: Extract<WriteTurn, { isDone: false }> | undefined;
  #write: RememberedWrite | undefined;

  constructor({ endpoint, input, options }: BuiltRequest, { shared, options: client }: ClientRuntime) {
    this.#endpoint = endpoint;
    this.#input = input;
    this.#memory = shared.writes;
    this.#timeoutMs = options.timeoutMs ?? client.timeoutMs;
    // Other writes may be repeated, so nobody counts them.
    this.#isBooked = endpoint.retry === 'unsafe' && !endpoint.isHarmless;
  }

  /** Asks the hook. Returns the output of an earlier run, if there is one: then nothing is sent. */
  async begin(
    hook: WriteHook,
    context: CallToHook,
    requester: Requester,
  ): Promise<{ readonly output: unknown } | undefined> {
    if (!this.#isBooked) return undefined;
    const turn = await context.scope.race(() => hook.begin(this.#pending(context, requester)));
    if (turn.isDone) return turn;
    this.#turn = turn;
    return undefined;
  }

  beforeSend(): Promise<void> | undefined {
    return this.#turn?.beforeSend();
  }

  /** Enters the write when its first attempt is sent. */
  onFirstSend(token: string | undefined): void {
    const { sentAt } = (this.#write = this.#described(token));
    if (this.#isBooked) this.#memory.add({ ...this.#write, sentAt, isInFlight: true });
  }

  /** Enters how the call ended. `output` is that of a success. */
  end(state: WriteRecord['state'], output?: unknown): Promise<void> | undefined {
    if (!this.#isBooked) return undefined;
    const entry = state === 'done' ? this.#entryOf(output) : undefined;
    if (this.#write) {
      const { id } = this.#write;
      this.#memory.change(id, { state, isInFlight: false });
      if (state === 'rejected') this.#memory.remove(id);
      if (entry !== undefined) void this.#memory.claim(entry, id);
    }
    return this.#turn?.end(state === 'done' ? { state, output, entry } : { state });
  }

  /** An endpoint of the user may throw, but the call has succeeded. */
  #entryOf(output: unknown): string | undefined {
    try {
      return this.#endpoint.entryOf?.(output, this.#input);
    } catch {
      return undefined;
    }
  }

  /** What the book of this process knows for this write. */
  view(token: string | undefined): BookView {
    const write = (this.#write ??= this.#described(token));
    return new BookView({ endpoint: this.#endpoint, write, memory: this.#memory, timeoutMs: this.#timeoutMs });
  }

  #described(token: string | undefined): RememberedWrite {
    const [endpoint, input] = [this.#endpoint, this.#input];
    return {
      id: this.#turn?.id ?? nextWriteId(),
      target: targetOf(endpoint, input, userOf(endpoint, input, token)),
      input,
      content: contentOf(endpoint, input),
      calledAt: this.#calledAt,
      sentAt: Date.now(),
      state: 'sent',
      isInFlight: false,
    };
  }

  #pending(context: CallToHook, requester: Requester): PendingWrite {
    const { endpoint, target, input } = { ...this.#described(context.token), endpoint: this.#endpoint };
    const { scope, options, token } = context;
    const { signal } = options;
    const now: UnconfirmedCall = {
      request: { endpoint, input },
      options,
      token,
      firstSentAt: performance.now(),
      view: this.view(token),
    };
    this.#write = undefined;
    return {
      endpoint,
      input,
      target,
      timeoutMs: this.#timeoutMs,
      readBefore: () => readBefore(requester, now, scope, signal),
      confirm: async (earlier, stored) => {
        const call = { ...now, ...this.#earlierCall(earlier, stored) };
        const limits = { signal, confirmWindowMs: 0, throwsFailures: true };
        const { confirmation } = await confirmWrite(requester, call, scope, limits);
        if (confirmation.done) this.#memory.change(earlier.id, { state: 'done' });
        return confirmation;
      },
    };
  }

  #earlierCall(earlier: WriteRecord, stored: WriteBook | undefined) {
    const [endpoint, memory, timeoutMs] = [this.#endpoint, this.#memory, this.#timeoutMs];
    const { id, target, input, sentAt, state, before } = earlier;
    const content = contentOf(endpoint, input);
    if (!memory.get(id)) memory.add({ id, target, input, content, sentAt, calledAt: sentAt, state, isInFlight: false });
    return {
      request: { endpoint, input },
      firstSentAt: performance.now() - (Date.now() - sentAt),
      view: new BookView({ endpoint, write: earlier, memory, stored, timeoutMs }),
      before,
    };
  }
}
