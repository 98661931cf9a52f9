// A process with an outbox that says what it is told, and is killed while it is told.
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { options, told } from './told-arguments.ts';

const outbox = createOutbox({
  ...options,
  onSuccess: ({ entry, outputs }) => told(`${entry.key} accepted ${outputs.length}`),
  onRejection: ({ entry, reason }) => told(`${entry.key} rejected ${reason}`),
  onFailure: ({ entry, dead, error }) => told(`${entry.key} ${dead ? 'dead' : 'failed'} ${(error as Error).name}`),
});
outbox.start();
process.once('SIGTERM', () => void outbox.close().then(() => process.exit()));
