import { byId, h, onSubmit, onSwitch, showList } from './dom.js';
import { act } from './server.js';

/**
 * @typedef {import('../snapshot.js').Snapshot} Snapshot
 * @typedef {[name: string, hint: string, choices?: readonly string[]]} Setting
 */

/** @type {readonly Setting[]} */
const settings = [
  ['odd', 'Share of responses in odd shapes, 0 to 1'],
  ['liveFields', 'Responses have the fields that only the live service sends'],
  ['postSaleTag', 'Which calls need tag=post_sale', ['all', 'documented']],
  ['messageShape', 'A message that is read by id', ['wrapped', 'legacy', 'current']],
  ['itemStatusShape', 'The multi-get of items', ['wrapped', 'bare']],
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
  ['attachmentLifetimeMs', 'When an unused file expires, in milliseconds; empty for never'],
  ['attachmentExtensions', 'Accepted file extensions, e.g. pdf, jpg; empty for all'],
  ['accessTokenLifetimeSeconds', 'Lifetime of an access token of /oauth/token'],
  ['cors', 'Browsers at any origin may call the marketplace'],
];

const limit = byId('limit');

export function startSettings() {
  onSubmit(limit, (fields) => {
    const { perSecond, perMinute, per, retryAfter } = fields;
    const rates = { perSecond: toNumber(perSecond), perMinute: toNumber(perMinute) };
    void act('POST', 'limit', { ...rates, per, retryAfter: retryAfter === 'on' }, 'The limit is set');
  });
  byId('remove-limit').addEventListener('click', () => void act('POST', 'limit', {}, 'The limit is removed'));
  onSwitch(byId('files-broken'), (filesBroken) => void act('POST', 'storage', { filesBroken }, 'Changed'));
  onSwitch(
    byId('messages-unavailable'),
    (messagesUnavailable) => void act('POST', 'storage', { messagesUnavailable }, 'Changed'),
  );
}

/** @param {string | undefined} text */
function toNumber(text) {
  return text === undefined || text === '' ? null : Number(text);
}

/** @param {Snapshot} state */
export function showSettings({ settings: values, limit: set, storage }) {
  byId('limit-state').textContent = set === null ? 'none' : describeLimit(set);
  byId('remove-limit').hidden = set === null;
  byId('files-broken').setAttribute('aria-checked', String(storage.filesBroken));
  byId('messages-unavailable').setAttribute('aria-checked', String(storage.messagesUnavailable));
  showList(
    byId('setting-list'),
    settings.map((setting) => ({
      setting,
      value: /** @type {Record<string, unknown>} */ (values)[setting[0]] ?? null,
    })),
    ({ setting: [name] }) => name,
    ({ setting, value }) => draw(setting, value),
  );
}

/** @param {NonNullable<Snapshot['limit']>} limit */
function describeLimit({ perSecond, perMinute, per = 'application' }) {
  const rates = [perSecond && `${perSecond} per second`, perMinute && `${perMinute} per minute`];
  return `${rates.filter(Boolean).join(', ')}, per ${per}`;
}

/**
 * @param {Setting} setting
 * @param {unknown} value
 */
function draw([name, hint, choices], value) {
  return h(
    'li',
    {},
    h('div', { class: 'about' }, h('code', {}, name), h('p', { class: 'small' }, hint)),
    input(name, value, choices),
  );
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {readonly string[] | undefined} choices
 */
function input(name, value, choices) {
  const change = (/** @type {unknown} */ to) => void act('POST', 'settings', { [name]: to }, `${name} is changed`);
  if (typeof value === 'boolean') {
    const toggle = h('button', { type: 'button', role: 'switch', 'aria-checked': String(value), 'aria-label': name });
    onSwitch(toggle, change);
    return toggle;
  }
  const control = choices
    ? h('select', {}, ...choices.map((each) => h('option', { selected: each === value }, each)))
    : h('input', { value: shown(value), placeholder: 'none' });
  control.setAttribute('aria-label', name);
  control.addEventListener('change', () => change(choices ? control.value : read(name, control.value.trim())));
  return control;
}

/** @param {unknown} value */
function shown(value) {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object' && value !== null) return String(/** @type {{ share?: number }} */ (value).share ?? 1);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * @param {string} name
 * @param {string} text
 */
function read(name, text) {
  if (text === '') return null;
  if (name === 'attachmentExtensions') return text.split(/[\s,]+/);
  return name === 'odd' ? { share: Number(text) } : Number(text);
}
