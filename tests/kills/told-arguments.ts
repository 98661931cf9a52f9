import { appendFileSync } from 'node:fs';
import { SellerClient } from 'marketplace-seller-sdk';
import { storeAt } from '../support/store-at.ts';

// <program> <kind> <where> <base URL> <token> <seller> <file of what was told> <killed | lives> <text>
const [kind = '', where = '', baseUrl = '', accessToken = '', user, file = '', end, given = ''] = process.argv.slice(2);
const seller = new SellerClient({ baseUrl, accessToken, maxRetries: 0 });

/** What the seller writes. */
export const text = given;

/** Options of an inbox and of an outbox. */
export const options = {
  store: storeAt(kind, where),
  clientFor: (user_id: number) => (user_id === Number(user) ? seller : undefined),
  leaseMs: 3_000,
};

/** Notes it as a callback of a user would, and may not come to its end. */
export function told(what: string): void {
  appendFileSync(file, `${what}\n`);
  if (end === 'killed') process.kill(process.pid, 'SIGKILL');
}
