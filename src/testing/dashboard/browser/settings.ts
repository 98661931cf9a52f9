import type { Snapshot } from '../snapshot.js';
import { button, chip, field, form, heading, joined, named, select, submit, toggle, valueOf } from './parts.js';
import type { Fields, PanelProps } from './parts.js';
import { html, useMemo, type VNode } from './preact.js';
import { post } from './server.js';

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

/** A setting of the marketplace. */
type Setting = readonly [name: string, hint: string, choices?: readonly string[]];

/** The settings that the page shows. */
const settings: readonly Setting[] = [
  ['liveFields', 'Responses have the fields that only the live service sends'],
  ['postSaleTag', 'Which calls need tag=post_sale', ['all', 'documented']],
  ['messageShape', 'A message that is read by id', ['wrapped', 'legacy', 'current']],
  ['itemStatusShape', 'The multi-get of items', ['wrapped', 'bare']],
  ['itemOrder', 'The order of its entries', ['asked', 'any']],
  ['bulkEntries', 'Entries of /items/bulk with attributes', ['coded', 'selected']],
  ['reducedOptionResponse', 'The response to an option is reduced'],
  ['detailedAnswerErrors', 'A closed question and an inactive item have their own error codes'],
  ['capPerOption', 'Messages per option until the buyer replies'],
  ['optionLockMs', 'How long an option is locked, in milliseconds'],
  ['conversationPageSize', 'Default page of a conversation'],
  ['maxPageSize', 'Largest page of any list'],
  ['maxIds', 'Largest number of ids in one call'],
  ['maxWindowIntervals', 'Largest last of a contact window'],
  ['contactTimeZone', 'Days and hours of contact windows', ['utc', 'site']],
  ['contactsNeedToken', 'Contact metrics need a token'],
  ['missedFeedsOwner', 'The user whose token reads missed notifications; empty for any'],
  ['attachmentLifetimeMs', 'When an unused file expires, in milliseconds; empty for never'],
  ['attachmentExtensions', 'Accepted file extensions, e.g. pdf, jpg; empty for all'],
  ['accessTokenLifetimeSeconds', 'Lifetime of an access token of /oauth/token'],
  ['cors', 'Browsers at any origin may call the marketplace'],
];

const rate = { type: 'number', min: 1, max: 10_000 };

/** The rate limit. */
function limitForm({ limit }: Snapshot): VNode {
  const remove = (): unknown => post('limit', {}, 'The limit is removed');
  return form(
    'card form',
    set,
    heading(html`<h3>Rate limit</h3>`, html`<span id="limit-state">${chip(limit ? describe(limit) : 'none')}</span>`),
    html`
      <div class="row">
        ${field('Calls per second', 'perSecond', rate)} ${field('Calls per minute', 'perMinute', rate)}
        <label>Counted per ${select(named(['application', 'user']), { name: 'per' })}</label>
      </div>
      <label class="check"><input name="retryAfter" type="checkbox" /> A 429 has a Retry-After</label>
      <div class="actions">${submit('Set')} ${limit && button('Remove', remove)}</div>
    `,
  );
}

function set({ perSecond, perMinute, per, retryAfter }: Fields): unknown {
  const rates = { perSecond: toNumber(perSecond), perMinute: toNumber(perMinute) };
  return post('limit', { ...rates, per, retryAfter: retryAfter === 'on' }, 'The limit is set');
}

function toNumber(text = ''): number | null {
  return text === '' ? null : Number(text);
}

function describe({ perSecond, perMinute, per = 'application' }: NonNullable<Snapshot['limit']>): string {
  const rates = [perSecond ? `${perSecond} per second` : '', perMinute ? `${perMinute} per minute` : '', `per ${per}`];
  return joined(rates, ', ');
}
