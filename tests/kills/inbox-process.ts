// An application in its own process: it receives over HTTP, stores in SQLite, and appends each handled question to a file.
// node inbox-process.js <database> <notes> <how long a handling takes, in ms> [how many it ends]
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createInbox, nodeHandler } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';

const [path = '', notes = '', takesMs = '0', atMost = 'Infinity'] = process.argv.slice(2);
let handled = 0;
const inbox = createInbox({
  store: sqliteStore(path),
  concurrency: 4,
  leaseMs: 2_000,
  on: {
    questions: async ({ question_id }) => {
      await pause(Number(takesMs));
      if ((handled += 1) > Number(atMost)) await new Promise(() => {});
      appendFileSync(notes, `${process.pid} ${question_id}\n`);
    },
  },
});
process.once('SIGTERM', () => {
  server.close();
  void inbox.close({ graceMs: 5_000 }).then(() => process.exit());
});
inbox.start();
const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
