import { ago, byId, h, showList } from './dom.js';
import { showCount } from './finder.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

/** @param {Snapshot} state */
export function showFiles(state) {
  const { files, now } = state;
  byId('no-files').hidden = files.length > 0;
  byId('file-list').hidden = files.length === 0;
  showCount('files', state);
  showList(
    byId('file-list'),
    files,
    ({ id }) => id,
    ({ id, filename, type, size, nickname, site_id, storedAt, inUse }) =>
      h(
        'li',
        {},
        h(
          'div',
          { class: 'about' },
          h('strong', {}, filename),
          h('p', { class: 'small' }, `${type}, ${sizeOf(size)} · ${nickname}, ${site_id} · `, when(storedAt, now)),
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
