import { InvalidInputError } from '../core/errors/errors.js';
import { ApiError } from '../core/errors/response-errors.js';
import type { SellerError } from '../core/errors/seller-error.js';
import { remedyFor } from './descriptions.js';
import { isOutcomeUnknown } from './sent-writes.js';
import type { SentOutcome } from './sent-writes.js';

/** What a model needs to know of an error. It has no token and no text of a person, like all errors of this package. */
export interface ErrorFacts {
  readonly class: string;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly message: string;
  /** Waiting does not help: the same call is rejected until somebody changes something. */
  readonly isLasting: boolean;
  /** The operation may or may not have been carried out. */
  readonly outcomeUnknown: boolean;
  readonly whatToDo: string;
}

/** Describes for a model how a call failed. */
export function errorFacts({ error, unknown, isUndone }: Extract<SentOutcome, { error: object }>): ErrorFacts {
  const { code, status } = error instanceof ApiError ? error : {};
  const { name, message, isLasting } = error;
  const outcomeUnknown = !isUndone && isOutcomeUnknown(error);
  const whatToDo = outcomeUnknown ? readBack(unknown) : isUndone ? again : remedyOf(error);
  return { class: name, code, status, message, isLasting, outcomeUnknown, whatToDo };
}

const again = 'Reading back shows that nothing was done, so it can be called again.';

function readBack(unknown = 'its response was lost'): string {
  return (
    'Do not repeat it, and do not try it in other words: it may have been carried out. Read what it would have changed, or ask ' +
    `a person. If it is called again with the same input, it is read back first. Why that is not known: ${unknown}.`
  );
}

function remedyOf(error: SellerError): string {
  if (error instanceof InvalidInputError) return 'Nothing was sent. Correct the fields that the message names.';
  return remedyFor(error.name) ?? 'Tell the person what the message says.';
}
