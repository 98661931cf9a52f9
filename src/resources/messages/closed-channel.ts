import { CapExhaustedError, InvalidOptionError } from '../action-guide/errors.js';
import { ConversationBlockedError } from '../post-sale/errors.js';
import { MediationInProcessError, NoChannelError, NotYetDeliveredError } from './errors.js';
import type { NoChannelReason } from './errors.js';

/**
 * Converts the errors that mean "no message can be sent to the buyer now" to one error; `undefined` for other errors.
 */
export function closedBy(error: unknown): NoChannelError | undefined {
  const found = closedReason(error);
  if (!found) return undefined;
  const [reason, remedy] = found;
  return new NoChannelError(`The message was not sent: ${remedy}`, { reason, cause: error });
}

function closedReason(error: unknown): [reason: NoChannelReason, remedy: string] | undefined {
  if (error instanceof ConversationBlockedError)
    return [error.reason ?? 'blocked', `the conversation is blocked (${error.reason ?? 'no reason given'})`];
  if (error instanceof MediationInProcessError)
    return ['mediation', 'a mediation is in process; write in the mediation, or when it is over'];
  if (error instanceof NotYetDeliveredError)
    return ['not_yet_delivered', 'the purchase is on its way by fulfilment; write when it is delivered'];
  if (error instanceof CapExhaustedError)
    return ['cap_exhausted', 'the option OTHER is used up; wait until the buyer replies'];
  if (error instanceof InvalidOptionError)
    return ['option_not_offered', 'the pack has no option OTHER; see actionGuide.options for those it has'];
  return undefined;
}
