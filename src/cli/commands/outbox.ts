import type { StoredJob } from '../../outbox/job.js';
import { openOutbox } from '../../outbox/open-outbox.js';
import { sqliteOutbox } from '../../outbox/sqlite.js';
import type { Command } from '../command.js';
import { storedCommand } from '../stored/stored-command.js';

/** `outbox`: shows and changes what an outbox holds, while others send. */
export const outbox: Command = storedCommand(
  {
    name: 'outbox',
    summary: `Shows and changes the jobs of an outbox while others send them: counts them (stats), lists those that wait
with their failed attempts, last error and next attempt (waiting), and those that were given up (dead), sends them again
(replay) or now (retry-now), and removes them. FILE is the file of a sqliteOutbox. It is neither created nor migrated.`,
  },
  (path) =>
    Promise.resolve({
      ...openOutbox(sqliteOutbox(path)),
      columnsOf: ({ steps, user_id }: StoredJob) => ({
        topic: steps.map(({ endpoint }) => endpoint).join(' + '),
        user_id,
      }),
    }),
);
