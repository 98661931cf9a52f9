import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { Attempts } from '../handling/attempts.js';
import type { Inbox } from '../inbox.js';
import type { RunResult } from './group-requests.js';
import type { Run } from './run.js';
import { resultOf, settle } from './settle.js';
import type { Result } from './settle.js';

/** What runs need to come to their end. */
export interface RunEnvironment {
  readonly inbox: Inbox;
  readonly attempts: Attempts;
  /** Resolves once the claim that is under way has brought its leases. */
  readonly claimed: () => Promise<void> | undefined;
}

/** Runs the handler of a lease, and stores what follows. Never rejects. */
export async function finish(run: Run, environment: RunEnvironment): Promise<RunResult> {
  const { inbox, attempts } = environment;
  const { lease } = run;
  const { entry, coalescedKeys } = lease;
  try {
    const outcome = await attempts.run(entry, run);
    const isSettled = !run.isLost && (await settleLatest(run, resultOf(outcome, lease, inbox, run), environment));
    const isHandled = outcome.kind === 'done' || outcome.kind === 'dropped';
    return { keys: [...coalescedKeys, entry.key], handled: isSettled && isHandled };
  } catch (error) {
    inbox.reporter.failed('The store gave out an entry that cannot be handled', error);
    return { keys: [], handled: false };
  }
}

/** Keeps the writes of a run with its entry. A lease that the worker itself has replaced meanwhile is as good. */
export async function noteWrites(
  run: Run,
  writes: readonly WriteRecord[],
  { inbox, claimed }: RunEnvironment,
): Promise<boolean> {
  const { store } = inbox;
  if (run.isLost) return false;
  if (await store.note?.(run.lease, writes)) return true;
  await claimed();
  return run.next !== undefined && (await store.note?.(run.next, writes)) === true;
}

/** Stores the result. A lease that the worker itself has replaced meanwhile does not count as lost. */
async function settleLatest(run: Run, result: Result, { inbox, claimed }: RunEnvironment): Promise<boolean> {
  const isKept = (): boolean => !run.next && !run.controller.signal.aborted;
  for (;;) {
    const isSettled = await settle(inbox, run.lease, result, isKept);
    if (isSettled !== false) return isSettled === true;
    await claimed();
    if (!run.next) break;
    run.lease = run.next;
    run.next = undefined;
  }
  inbox.reporter.failed('A notification took longer than its lease, so its result was ignored');
  return false;
}
