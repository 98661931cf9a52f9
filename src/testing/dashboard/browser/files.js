import { ago, byId, h, showList } from './dom.js';
import { count } from './tabs.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

/** @param {Snapshot} state */
export function showFiles({ files, users, now }) {
  const nameOf = (/** @type {number} */ id) => users.find(({ user_id }) => user_id === id)?.nickname ?? String(id);
  byId('no-files').hidden = files.length > 0;
  byId('file-list').hidden = files.length === 0;
  count('files', files.length);
  showList(
    byId('file-list'),
    files,
    ({ id }) => id,
    ({ id, filename, type, size, owner, site_id, storedAt, inUse }) =>
      h(
        'li',
        {},
        h(
          'div',
          { class: 'about' },
          h('strong', {}, filename),
          h('p', { class: 'small' }, `${type}, ${sizeOf(size)} · ${nameOf(owner)}, ${site_id} · `, when(storedAt, now)),
          h('p', { class: 'small mono' }, id),
        ),
        h('span', { class: `chip ${inUse ? 'good' : 'open'}` }, inUse ? 'in a message' : 'not used'),
      ),
  );
}

/**
 * @param {number} storedAt
 * @param {string} now
 */
function when(storedAt, now) {
  return h('time', { datetime: new Date(storedAt).toISOString() }, ago(Date.parse(now) - storedAt));
}

/** @param {number} bytes */
function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
