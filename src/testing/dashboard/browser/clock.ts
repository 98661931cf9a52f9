import type { Snapshot } from '../snapshot.js';
import { button, field, form, named, select, submit } from './parts.js';
import type { Fields } from './parts.js';
import { html, useEffect, useMemo, useRef, useState } from './preact.js';
import type { VNode } from './preact.js';
import { post } from './server.js';

const units: Readonly<Record<string, number>> = { hours: 3_600_000, days: 86_400_000, minutes: 60_000, seconds: 1000 };

/** The marketplace's clock: its time, and what a person can do with it. */
export function Clock({ state }: { readonly state: Snapshot }): VNode {
  const details = useRef<HTMLDetailsElement>(null);
  const time = useRef<HTMLInputElement>(null);
  const isStopped = state.clockIsStopped;
  /** How far the marketplace's clock is ahead of this browser's, in milliseconds. */
  const aheadMs = useMemo(() => Date.parse(state.now) - Date.now(), [state]);
  const [, tick] = useState(0);
  useEffect(() => {
    window.setInterval(() => tick(Date.now()), 1000);
    document.addEventListener('click', ({ target }) => {
      if (details.current?.contains(target as Node) === false) details.current.open = false;
    });
  }, []);
  const now = isStopped ? state.now : new Date(Date.now() + aheadMs).toISOString();
  // Only when it opens: a person may be editing the time when the next state comes.
  const opened = (): void => {
    if (time.current) time.current.value = now.slice(0, 19);
  };
  const pressed = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !details.current) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus();
  };
  const timeField = field('Time (UTC)', 'time', { ref: time, type: 'datetime-local', step: 1, required: true });
  const amount = { type: 'number', min: 1, max: 1000, defaultValue: 1, required: true };
  const amountField = field('Advance by', 'amount', amount);
  const unitField = html`<label>Unit ${select(named(Object.keys(units)), { name: 'unit' })}</label>`;
  return html`
    <details id="clock" class="clock" ref=${details} onToggle=${opened} onKeyDown=${pressed}>
      <summary>
        <span class="hidden">Clock: </span>
        <span id="clock-time">${now.slice(0, 10)} ${now.slice(11, 19)} UTC${isStopped && ', stopped'}</span>
      </summary>
      <div class="card">
        ${form('line', set, timeField, submit('Set', ''))}
        ${form('line', advance, amountField, unitField, submit('Advance', ''))}
        ${button(isStopped ? 'Run' : 'Stop', () => run(isStopped))}
      </div>
    </details>
  `;
}

function set({ time = '' }: Fields): unknown {
  return post('clock', { set: `${time}Z` }, 'The clock is set and stopped');
}

function advance({ amount, unit = '' }: Fields): unknown {
  return post('clock', { advanceMs: Number(amount) * (units[unit] ?? 0) }, 'The clock is advanced');
}

function run(running: boolean): unknown {
  return post('clock', { running }, running ? 'The clock runs' : 'The clock is stopped');
}
