import type { Confirmation } from '../../core/errors/confirmation.js';
import type { ConfirmContext } from '../../core/operation/endpoint.js';
import { shownList } from '../shown-list.js';
import { list } from './reads.js';
import type { BlacklistParams } from './schemas.js';

/**
 * Reads back whether a write has put a user on a blacklist, or removed them from it. The outcome is unknown if the service
 * shows only a part of the blacklist and the user is not in that part.
 */
export async function confirmOnBlacklist(
  { seller_id, user_id }: BlacklistParams,
  context: ConfirmContext,
  shouldBeOn: boolean,
): Promise<Confirmation> {
  const reading = await context.read(list, { seller_id });
  const { users, total } = reading.data;
  const { entries, isComplete } = shownList({ reading, entries: users, total }, 50);
  const isOn = entries.some(({ id }) => String(id) === String(user_id));
  if (!isOn && !isComplete) return { unknown: 'the service does not show the whole blacklist' };
  return isOn === shouldBeOn ? { done: true, output: undefined } : { done: false };
}
