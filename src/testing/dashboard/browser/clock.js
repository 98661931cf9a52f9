import { byId } from './dom.js';
import { act } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const setForm = /** @type {HTMLFormElement} */ (byId('clock-set'));
const advanceForm = /** @type {HTMLFormElement} */ (byId('clock-advance'));
const time = /** @type {HTMLInputElement} */ (setForm.elements.namedItem('time'));
const amount = /** @type {HTMLInputElement} */ (advanceForm.elements.namedItem('amount'));
const unit = /** @type {HTMLSelectElement} */ (advanceForm.elements.namedItem('unit'));
const details = /** @type {HTMLDetailsElement} */ (byId('clock'));
const toggle = byId('clock-toggle');
let isStopped = false;
/** How far the marketplace's clock is ahead of this browser's, in milliseconds. */
let aheadMs = 0;
let stoppedAt = 0;

export function startClock() {
  setForm.addEventListener('submit', (event) => {
    event.preventDefault();
    void act('POST', 'clock', { set: `${time.value}Z` }, 'The clock is set and stopped');
  });
  advanceForm.addEventListener('submit', (event) => {
    event.preventDefault();
    const unitMs = units[/** @type {keyof typeof units} */ (unit.value)];
    void act('POST', 'clock', { advanceMs: Number(amount.value) * unitMs }, 'The clock is advanced');
  });
  toggle.addEventListener(
    'click',
    () => void act('POST', 'clock', { running: isStopped }, isStopped ? 'The clock runs' : 'The clock is stopped'),
  );
  // Only when it opens: a person may be editing the time when the next state comes.
  details.addEventListener('toggle', () => {
    time.value = currentTime().slice(0, 19);
  });
  document.addEventListener('click', ({ target }) => {
    if (!details.contains(/** @type {Node} */ (target))) details.open = false;
  });
  details.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    details.open = false;
    details.querySelector('summary')?.focus();
  });
  window.setInterval(show, 1000);
}

function currentTime() {
  return new Date(isStopped ? stoppedAt : Date.now() + aheadMs).toISOString();
}

/** @param {Snapshot} state */
export function showClock({ now, clockIsStopped }) {
  const ms = Date.parse(now);
  isStopped = clockIsStopped;
  stoppedAt = ms;
  aheadMs = ms - Date.now();
  toggle.textContent = isStopped ? 'Run' : 'Stop';
  show();
}

function show() {
  const now = currentTime();
  const text = `${now.slice(0, 10)} ${now.slice(11, 19)} UTC${isStopped ? ', stopped' : ''}`;
  if (byId('clock-time').textContent !== text) byId('clock-time').textContent = text;
}
