import type { StoredJob } from '../../outbox/job.js';
import { openOutbox } from '../../outbox/open-outbox.js';
import type { Command } from '../command.js';
import { storedCommand } from '../stored/stored-command.js';
import { storedWork } from '../stored/stored-work.js';
import type { WorkRow } from '../stored/stored-work.js';

/** `outbox`: shows and changes what an outbox holds, while others send. */
export const outbox: Command = storedCommand({
  name: 'outbox',
  summary: `Shows and changes the jobs of an outbox while others send them: counts them (stats), lists those that wait
with their failed attempts, last error and next attempt (waiting), those that were given up (dead), those with a message
that moderation rejected (rejected) and those that were carried out (accepted), has what was given up sent again
(replay), has what waits sent now (retry-now), removes jobs (remove; the key of what has ended stays known, so it is not
sent again), and frees the key of one that has ended (forget): if it is added again, it is sent a second time. FILE is the file of a sqliteStore, or a .js, .mjs, .cjs or .ts module that exports any
store as \`store\`. A file is not created.`,
  lists: ['waiting', 'dead', 'rejected', 'accepted'],
  open: (store) => storedWork(openOutbox(store), columnsOf),
});

function columnsOf({ user_id, pack_id, steps }: StoredJob): WorkRow {
  return { sends: steps.map(({ endpoint }) => endpoint).join(' + '), user_id, pack_id: pack_id ?? null };
}
