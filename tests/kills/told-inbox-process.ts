// A process with an inbox that says what it is told, and is killed while it is told.
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { options, text, told } from './told-arguments.ts';

const inbox = createInbox({
  ...options,
  retry: { maxRetries: 0 },
  on: { messages: (_, { reply }) => reply(text) },
  onSuccess: () => told('handled'),
  onRejection: () => told('rejected'),
  onFailure: ({ dead, error }) => told(`${dead ? 'dead' : 'not dead'} ${(error as Error).name}`),
});
inbox.start();
process.once('SIGTERM', () => void inbox.close());
console.log('started');
