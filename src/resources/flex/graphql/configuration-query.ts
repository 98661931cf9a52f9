import { writtenInteger } from '../../../core/json/long-integer.js';

/**
 * The GraphQL query of a seller's configuration. A schema has checked the ids: they are digits, so they can inject
 * nothing.
 */
export function configurationQuery(
  { user_id, service_id }: Readonly<Record<'user_id' | 'service_id', number | string>>,
  selection: string,
): string {
  const ids = `user_id:${String(writtenInteger(user_id))},service_id:${String(writtenInteger(service_id))}`;
  return `{configuration(${ids})${selection}}`;
}
