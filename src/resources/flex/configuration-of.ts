import type { Endpoint } from '../../core/operation/endpoint.js';
import { record, strictObject, string, withFacts } from '../../core/schema/define.js';
import { id, siteId } from '../fields.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { configuration } from './reads.js';
import type { FlexQueryParams } from './schemas.js';

const selectionOf = strictObject({
  site_id: siteId,
  user_id: id,
  service_id: id,
  /** The fields in GraphQL, in braces. */
  selection: string,
});

/** What does not depend on the input. */
const shared: Omit<Endpoint, 'confirm' | 'entryOf'> = configuration;

/** The endpoint `configuration` for one subscription: its input has the ids of the query, with which the response is compared. */
export const configurationOf: Endpoint<Input<typeof selectionOf>, Record<string, unknown>> = {
  ...shared,
  input: withFacts(selectionOf, { write: queryOf }),
  output: record,
  identity: {
    ...shared.identity,
    user_id: 'configuration.subscription.user_id',
    service_id: 'configuration.subscription.service_id',
  },
};

/** What is sent. The schema has checked the ids: they are digits, so they can inject nothing. */
function queryOf({ site_id, user_id, service_id, selection }: Output<typeof selectionOf>): FlexQueryParams {
  const ids = `user_id:${String(user_id)},service_id:${String(service_id)}`;
  return { site_id, query: `{configuration(${ids})${selection}}` };
}
