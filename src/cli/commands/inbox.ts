import { openInbox } from '../../notifications/open-inbox.js';
import type { Command } from '../command.js';
import { storedCommand } from '../stored/stored-command.js';
import { storedWork } from '../stored/stored-work.js';

/** `inbox`: shows and changes what an inbox of notifications holds, while others handle it. */
export const inbox: Command = storedCommand({
  name: 'inbox',
  summary: `Shows and changes the notifications of an inbox while others handle them: counts them (stats), lists those that
wait with their failed attempts, last error and next attempt (waiting), those that were given up (dead) and those whose
handler sent a message that moderation rejected (rejected), has what was given up handled again (replay), has what waits
handled now (retry-now), removes notifications (remove; the key of what has ended stays known), and frees the key of
one that has ended (forget), which is handled again if it is delivered again. FILE is the file of a sqliteStore, or a .js, .mjs, .cjs or .ts
module that exports any store as \`store\`. A file is not created.`,
  filters: { topic: { value: 'TOPIC', text: 'only those of this topic' } },
  open: (store) =>
    storedWork(openInbox(store), ({ notification: { topic, user_id, resource } }) => ({ topic, user_id, resource })),
});
