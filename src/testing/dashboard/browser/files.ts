import type { Snapshot } from '../snapshot.js';
import type { PanelProps } from './panel.js';
import { chip, list, noteOf } from './parts.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { ago } from './texts.js';

/** The uploaded files. */
export function Files({ state }: PanelProps): VNode {
  const none = state.files.length === 0 && 'No files yet.';
  const drawn = state.files.map((file) => draw(file, Date.parse(state.now)));
  return html`
    <h2>Files</h2>
    <p class="lead">The uploaded files. A file that no message uses expires.</p>
    ${list('file', noteOf('files', state), none, drawn, 'ul', 'rows card')}
  `;
}

function draw(file: Snapshot['files'][number], now: number): VNode {
  const { id, filename, type, size, nickname, site_id, storedAt, inUse } = file;
  const stored = html`<time datetime=${new Date(storedAt).toISOString()}>${ago(now - storedAt)}</time>`;
  return html`
    <li key=${id}>
      <div class="about">
        <strong>${filename}</strong>
        <p class="small">${type}, ${sizeOf(size)} · ${nickname}, ${site_id} · ${stored}</p>
        <p class="small mono">${id}</p>
      </div>
      ${inUse ? chip('in a message', 'good') : chip('not used')}
    </li>
  `;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
