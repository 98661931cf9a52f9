// A process with an inbox, an outbox or both, which starts them, or where an inbox only waits until nothing is due and others only
// get something to do.
// node living-process.ts <file> <inbox | outbox | both> <memory | SQLite> <start | use> [foreign: the file is of another program]
import { DatabaseSync } from 'node:sqlite';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { about, post } from '../support/deliveries.ts';

const [path = '', room, kind, act, foreign] = process.argv.slice(2);
if (foreign !== undefined) {
  const file = new DatabaseSync(path);
  file.exec('CREATE TABLE orders (id INTEGER)');
  file.close();
}

function rooms(file: string) {
  const store = kind === 'SQLite' ? sqliteStore(file) : memoryStore();
  const inbox = room === 'outbox' ? undefined : createInbox({ store, on: { questions: () => undefined } });
  const outbox = room === 'inbox' ? undefined : createOutbox({ store, clientFor: () => undefined });
  return { inbox, outbox };
}

const { inbox, outbox } = rooms(path);
if (act === 'start') {
  inbox?.start();
  outbox?.start();
  console.log('started');
} else {
  await inbox?.idle();
  // What was waited for goes on with what it gets, so these are others.
  const added = rooms(`${path}-2`);
  if (added.inbox) await fetchHandler(added.inbox)(post(about(1)));
  const input = { question_id: 1, text: 'Yes.' };
  const job = { key: 'one', user_id: 7, endpoint: endpoints.questions.answer, input };
  await added.outbox?.add(job).catch((error: unknown) => console.log(String(error)));
}
process.once('SIGTERM', () => void Promise.all([inbox?.close(), outbox?.close()]));
