// A process with an inbox, an outbox or both, which starts them, or only adds something or waits until nothing is due.
// node living-process.ts <file> <inbox | outbox | both> <memory | SQLite> <start | add | idle>
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/notifications';
import { createOutbox, memoryStore, sqliteStore } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { about, post } from '../support/deliveries.ts';

const [path = '', room, kind, act] = process.argv.slice(2);
const store = kind === 'SQLite' ? sqliteStore(path) : memoryStore();
const inbox = room === 'outbox' ? undefined : createInbox({ store, on: { questions: () => undefined } });
const outbox = room === 'inbox' ? undefined : createOutbox({ store, clientFor: () => undefined });

if (act === 'start') {
  inbox?.start();
  outbox?.start();
  console.log('started');
} else if (act === 'add') {
  if (inbox) await fetchHandler(inbox)(post(about(1)));
  const input = { question_id: 1, text: 'Yes.' };
  await outbox?.add({ key: 'one', user_id: 7, endpoint: endpoints.questions.answer, input });
} else {
  await inbox?.idle();
  await outbox?.idle();
}
process.once('SIGTERM', () => void Promise.all([inbox?.close(), outbox?.close()]));
