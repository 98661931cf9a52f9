import type { Outcome } from './attempt.js';
import type { Endpoint } from './endpoint.js';
import type { Errand } from './errand.js';
import { ConnectionError } from './errors.js';
import { retryAfterOf } from './retry.js';
import { SellerError } from './seller-error.js';

/** An attempt that asks to pass a gate. */
export interface Visit {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  /** The host that is called. */
  readonly host: string;
  /** Ends the wait: the call was aborted, or its deadline is over. */
  readonly signal: AbortSignal;
}

/** What came of an attempt that had passed a gate. */
export interface Passage {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly host: string;
  /** The status of the answer; `undefined` where there was none. */
  readonly status: number | undefined;
  /** What the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Lets attempts out. Give one of your own to share a limit between processes or machines; the client's own pacing after
 * a 429 stays in force behind it.
 */
export interface Gate {
  /** Asked before each attempt, which is sent when the promise resolves. A rejection ends the call, unsent. */
  enter(visit: Visit): void | Promise<void>;
  /** Told when an attempt is over. */
  leave?(passage: Passage): void;
}

/** Waits at a gate of the user's, within the bounds of the call. */
export async function enterGate(gate: Gate, { endpoint, bounds, call }: Errand): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const visit: Visit = { endpoint, attempt: bounds.attempts + 1, host: hostOf(call.baseUrl), signal };
  try {
    await bounds.race(
      async () => gate.enter(visit),
      (error) => {
        controller.abort(error);
      },
    );
  } catch (error) {
    if (error instanceof SellerError) throw error;
    const message = `${endpoint.method} ${endpoint.path} was not sent: the gate refused it; its reason is the cause`;
    throw new ConnectionError(message, { cause: error, attempts: bounds.attempts });
  }
}

/** Tells a gate of the user's what came of an attempt. */
export function leaveGate(gate: Gate, { endpoint, bounds, call }: Errand, outcome: Outcome): void {
  const answer = outcome.kind === 'answer' ? outcome.answer : undefined;
  try {
    gate.leave?.({
      endpoint,
      attempt: bounds.attempts,
      host: hostOf(call.baseUrl),
      status: answer?.status,
      retryAfterMs: answer && retryAfterOf(answer.headers, Date.now()),
    });
  } catch {
    // The attempt is over and must be told as what it was.
  }
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}
