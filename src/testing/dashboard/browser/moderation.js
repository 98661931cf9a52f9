import { byId, onSwitch } from './dom.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const later = byId('moderation-later');

export function startModeration() {
  onSwitch(later, (isLater) => void act('POST', 'moderation', { mode: isLater ? 'later' : 'atOnce' }, 'Changed'));
  byId('moderate').addEventListener('click', () => void act('POST', 'moderation', { run: true }, 'Moderated'));
}

/** @param {Snapshot} state */
export function showModeration({ moderation: { mode, pending } }) {
  later.setAttribute('aria-checked', String(mode === 'later'));
  const messages = `${pending} ${pending === 1 ? 'message is' : 'messages are'} pending`;
  byId('moderation-state').textContent =
    pending > 0 ? messages : mode === 'later' ? 'New messages stay pending.' : 'Messages are moderated at once.';
  byId('moderate').hidden = pending === 0;
}
