import { limitForm } from './limit.js';
import type { PanelProps } from './panel.js';
import { named, select, toggle, valueOf } from './parts.js';
import { html, useMemo } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';
import { settings } from './setting-hints.js';
import type { Setting } from './setting-hints.js';

/** The settings of the marketplace. */
export function Settings({ state }: PanelProps): VNode {
  const { filesBroken, messagesUnavailable } = state.storage;
  const breakFiles = (isOn: boolean): unknown => post('storage', { filesBroken: isOn }, 'Changed');
  const holdMessages = (isOn: boolean): unknown => post('storage', { messagesUnavailable: isOn }, 'Changed');
  const values = state.settings as Readonly<Record<string, unknown>>;
  return html`
    <h2>Settings</h2>
    ${limitForm(state)}
    <div class="card">
      <h3>Storage</h3>
      <div class="actions">
        ${toggle('Files fail with 500', filesBroken, breakFiles)}
        ${toggle('Messages by id are not ready: 404', messagesUnavailable, holdMessages)}
      </div>
    </div>
    <div class="card">
      <h3>Where the specification is open</h3>
      <ul class="rows">
        ${settings.map((each) => html`<${Row} key=${each[0]} setting=${each} value=${values[each[0]] ?? null} />`)}
      </ul>
    </div>
  `;
}

interface RowProps {
  readonly setting: Setting;
  readonly value: unknown;
}

function Row({ setting, value }: RowProps): VNode {
  const [name, hint] = setting;
  // Drawn only when the value changes: a person may be about to enter another one.
  const control = useMemo(() => html`<${Control} ...${{ setting, value }} />`, [JSON.stringify(value)]);
  return html`
    <li>
      <div class="about">
        <code>${name}</code>
        <p class="small">${hint}</p>
      </div>
      ${control}
    </li>
  `;
}

function Control({ setting: [name, , choices], value }: RowProps): VNode {
  const change = (to: unknown): unknown => post('settings', { [name]: to }, `${name} is changed`);
  if (typeof value === 'boolean') return toggle('', value, change, { 'aria-label': name });
  const onChange = (event: Event): unknown => change(choices ? valueOf(event) : read(name, valueOf(event).trim()));
  if (choices) return select(named(choices), { 'aria-label': name, value, onChange });
  return html`<input aria-label=${name} placeholder="none" value=${shown(value)} onChange=${onChange} />`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function read(name: string, text: string): unknown {
  if (text === '') return null;
  if (name === 'attachmentExtensions') return text.split(/[\s,]+/);
  return Number(text);
}
