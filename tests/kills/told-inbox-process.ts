// A process with an inbox that says what it is told, and is killed while it is told.
// node told-inbox-process.ts <kind> <where> <base URL> <token> <seller> <file of what was told> <killed | lives> <text of the reply>
import { appendFileSync } from 'node:fs';
import { SellerClient } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/notifications';
import { storeAt } from '../support/store-at.ts';

const [kind = '', where = '', baseUrl = '', accessToken = '', user, file = '', end, text = ''] = process.argv.slice(2);
const seller = new SellerClient({ baseUrl, accessToken, maxRetries: 0 });

/** Notes it as a callback of a user would, and may not come to its end. */
function told(what: string): void {
  appendFileSync(file, `${what}\n`);
  if (end === 'killed') process.kill(process.pid, 'SIGKILL');
}

const inbox = createInbox({
  store: storeAt(kind, where),
  clientFor: (user_id) => (user_id === Number(user) ? seller : undefined),
  leaseMs: 3_000,
  retry: { maxRetries: 0 },
  on: { messages: (_, { reply }) => reply(text) },
  onSuccess: () => told('handled'),
  onFailure: ({ dead, error }) => told(`${dead ? 'dead' : 'not dead'} ${(error as Error).name}`),
});
inbox.start();
process.once('SIGTERM', () => void inbox.close());
console.log('started');
