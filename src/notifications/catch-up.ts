import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration, listOf } from '../core/options/rules.js';
import { unansweredQuestions } from './handling/unanswered.js';
import { caughtUpQuestion } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';

/** Whose questions to look for. */
export interface CatchUpOptions {
  /**
   * The ids of sellers.
   *
   * @default the option `sellers` of the receiver
   */
  readonly user_ids?: readonly number[] | undefined;
}

/** What `catchUp` has done. */
export interface CatchUpResult {
  /** How many unanswered questions there are. */
  readonly found: number;
  /** How many of them were added; the others wait already, or were handled within `deduplicationMs`. */
  readonly added: number;
}

/** Adds the unanswered questions of sellers, whose notifications may never have come. */
export async function catchUp(
  { clientFor, sellers = [] }: Pick<ResolvedReceiverOptions, 'clientFor' | 'sellers'>,
  options: CatchUpOptions,
  add: (entry: QueuedNotification) => Promise<boolean>,
): Promise<CatchUpResult> {
  checkConfiguration('catchUp', options, { user_ids: listOf('number') });
  if (!clientFor) throw new ConfigurationError('catchUp() needs `clientFor`');
  const user_ids = options.user_ids ?? (typeof sellers === 'function' ? await sellers() : sellers);
  const total = { found: 0, added: 0 };
  for (const user_id of new Set(user_ids)) {
    const client = await clientFor(user_id);
    if (!client) continue;
    for await (const questions of unansweredQuestions(client, user_id)) {
      const entries = questions.map(({ question_id, foundAt }) => caughtUpQuestion(user_id, question_id, foundAt));
      const added = await Promise.all(entries.map(async (entry) => add(await entry)));
      total.found += questions.length;
      total.added += added.filter(Boolean).length;
    }
  }
  return total;
}
