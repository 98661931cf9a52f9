// The handlers of the guide in a process of their own, with an inbox in SQLite, PostgreSQL or BullMQ.
// node reply-process.js <sqlite | postgres | bullmq> <where it is> <URL of the marketplace> <token> <user id> [how far its clock is ahead] [leaseMs]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, nodeHandler } from 'marketplace-seller-sdk/inbox';
import { bullmq, postgresStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { Pool } from 'pg';
import { setClockAhead } from '../support/clock-ahead.ts';
import { guideHandlers } from './guide-handlers.ts';

const [kind = '', where = '', baseUrl = '', accessToken = '', user = '', aheadMs = '0', leaseMs = '3000'] =
  process.argv.slice(2);
if (aheadMs !== '0') setClockAhead(Number(aheadMs));
const client = new SellerClient({ baseUrl, accessToken, allowInsecure: true, timeoutMs: 2_000 });

function store(): Parameters<typeof createInbox>[0]['store'] {
  if (kind === 'sqlite') return sqliteStore(where);
  if (kind === 'postgres') return postgresStore({ pool: new Pool({ connectionString: where }) });
  return bullmq({ Queue, Worker, connection: { path: where, maxRetriesPerRequest: null } });
}

const inbox = createInbox<SellerClient>({
  store: store(),
  clientFor: (user_id) => (user_id === Number(user) ? client : undefined),
  concurrency: 8,
  // A busy machine does not lose them.
  leaseMs: Number(leaseMs),
  retry: { firstDelayMs: 50, maxDelayMs: 500 },
  onFailure: () => {},
  on: {
    ...guideHandlers,
    messages: async (notification, context) => {
      const { text } = await context.read();
      // Moderation rejects it.
      if (text === 'Take a while.') await pause(400);
      if (text === 'Call me.') await context.reply('Call me at +54 11 4321-5678.');
      else if (text === 'End the process.') {
        process.stdout.write('It ends.\n');
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      } else await guideHandlers.messages?.(notification, context);
    },
  },
});
inbox.start();
// Its log would be mistaken for the port.
console.log = () => {};
const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
