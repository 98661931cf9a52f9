import type { Outcome } from './attempt.js';
import { secretsOf } from './errand.js';
import type { Errand } from './errand.js';
import { ConnectionError, OutcomeUnknownError, TimeoutError } from './errors.js';
import { scrub, shownFault, wordsOfPeople } from './redact.js';
import { refusalOf } from './refused.js';
import { leavesDoubt, wasNeverSent } from './retry.js';
import type { Failure } from './retry.js';
import { SellerError } from './seller-error.js';

/** What a failed attempt means. */
export interface Fate {
  /** What the call rejects with if it ends here. */
  readonly error: unknown;
  /** As far as repeating is concerned; `undefined` where a repeat cannot help. */
  readonly failure: Failure | undefined;
  /** Whether the attempt may have been carried out all the same. */
  readonly doubt: boolean;
}

/** Judges an attempt that did not succeed. */
export function fateOf(outcome: Outcome, errand: Errand): Fate {
  const { endpoint, input, bounds } = errand;
  if (outcome.kind === 'fault') return fateOfFault(outcome, errand);
  const asked = { endpoint, input, secrets: () => secretsOf(errand), attempts: bounds.attempts };
  const { error, refusal } = refusalOf(outcome.answer, asked);
  const { status, retryAfterMs } = error;
  const failure: Failure = { kind: 'refused', status, retryAfterMs, passing: refusal?.passing === true };
  return { error, failure, doubt: leavesDoubt(endpoint.retry, failure) };
}

function fateOfFault({ error, sent, status }: Outcome & { kind: 'fault' }, errand: Errand): Fate {
  const { endpoint, bounds } = errand;
  const isOver = error === bounds.ended;
  if (!sent && !(error instanceof TimeoutError)) return { error: unwrapped(error), failure: undefined, doubt: false };
  const failure: Failure = { kind: sent && !wasNeverSent(error) ? 'lost' : 'unreachable' };
  const doubt = leavesDoubt(endpoint.retry, failure);
  const told = connectionErrorOf(error, errand);
  const last = doubt && told instanceof ConnectionError ? unknownOutcome(told, errand, status) : told;
  return { error: last, failure: isOver ? undefined : failure, doubt };
}

/** What a call ends with: a deadline that strikes while a write is in doubt leaves it in doubt. */
export function lastWord(error: unknown, errand: Errand): unknown {
  const { ended, inDoubt } = errand.bounds;
  if (error !== ended || !inDoubt || !(error instanceof TimeoutError)) return error;
  return unknownOutcome(error, errand, undefined);
}

function unknownOutcome(cause: ConnectionError, { endpoint, bounds }: Errand, status: number | undefined): Error {
  const what = `${endpoint.method} ${endpoint.path}`;
  const known =
    status === undefined
      ? 'it may or may not have been carried out'
      : `it was answered ${status} before the answer's body was lost, so it was most likely carried out`;
  const advice = endpoint.confirm ? 'confirm() reads it back' : 'read back before repeating it';
  return new OutcomeUnknownError(
    `${what} was sent and its answer was lost (${cause.message}): ${known}. Do not repeat it blindly; ${advice}.`,
    { cause, attempts: bounds.attempts, status },
  );
}

/** A fault of the network as a ConnectionError; errors of this library stay what they are. */
function connectionErrorOf(fault: unknown, errand: Errand): unknown {
  if (fault instanceof SellerError) return fault;
  const { endpoint, bounds } = errand;
  const secrets = [...secretsOf(errand), ...wordsOfPeople(errand.input)];
  const raw = unwrapped(fault);
  const inner = raw instanceof Error ? raw.cause : undefined;
  const code = inner instanceof Error ? ((inner as NodeJS.ErrnoException).code ?? inner.message) : undefined;
  const why =
    raw instanceof Error ? raw.message + (code ? ` (${code})` : '') : 'fetch rejected with something that is no error';
  return new ConnectionError(scrub(`${endpoint.method} ${endpoint.path} got no answer: ${why}`, secrets), {
    cause: shownFault(raw, secrets),
    attempts: bounds.attempts,
  });
}

/** ky puts an error of its own around what `fetch` threw. */
function unwrapped(fault: unknown): unknown {
  return fault instanceof Error && fault.name === 'NetworkError' ? (fault.cause ?? fault) : fault;
}
