// A process with an outbox that says what it is told, and is killed while it is told.
// node told-outbox-process.ts <kind> <where> <base URL> <token> <seller> <file of what was told> <killed | lives>
import { appendFileSync } from 'node:fs';
import { SellerClient } from 'marketplace-seller-sdk';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { storeAt } from '../support/store-at.ts';

const [kind = '', where = '', baseUrl = '', accessToken = '', user, file = '', end] = process.argv.slice(2);
const seller = new SellerClient({ baseUrl, accessToken, maxRetries: 0 });

/** Notes it as a callback of a user would, and may not come to its end. */
function told(what: string): void {
  appendFileSync(file, `${what}\n`);
  if (end === 'killed') process.kill(process.pid, 'SIGKILL');
}

const outbox = createOutbox({
  store: storeAt(kind, where),
  clientFor: (user_id) => (user_id === Number(user) ? seller : undefined),
  leaseMs: 3_000,
  onSuccess: ({ entry, outputs }) => told(`${entry.key} accepted ${outputs.length}`),
  onRejection: ({ entry, reason }) => told(`${entry.key} rejected ${reason}`),
  onFailure: ({ entry, dead, error }) => told(`${entry.key} ${dead ? 'dead' : 'failed'} ${(error as Error).name}`),
});
outbox.start();
process.once('SIGTERM', () => void outbox.close().then(() => process.exit()));
