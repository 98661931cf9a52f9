import type { Snapshot } from '../snapshot.js';
import { Connect } from './connect.js';
import { Conversations, Files } from './conversations.js';
import { Faults } from './faults.js';
import { Flex } from './flex.js';
import { Notifications } from './notifications.js';
import { button, field, form, named, Section, select, submit, Tabs, useChoice } from './parts.js';
import type { Fields, PanelProps } from './parts.js';
import { html, render, useEffect, useMemo, useRef, useState, type VNode } from './preact.js';
import { Questions } from './questions.js';
import { Requests } from './requests.js';
import { copy, listen, post, search, showToast, Toast } from './server.js';
import { Settings } from './settings.js';

const units: Readonly<Record<string, number>> = { hours: 3_600_000, days: 86_400_000, minutes: 60_000, seconds: 1000 };

/** The marketplace's clock: its time, and what a person can do with it. */
function Clock({ state }: { readonly state: Snapshot }): VNode {
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

interface Panel {
  readonly id: string;
  readonly name: string;
  readonly panel: (props: PanelProps) => VNode;
  readonly counted?: keyof Snapshot['counts'];
}

const panels: readonly Panel[] = [
  { id: 'requests', name: 'Requests', panel: Requests, counted: 'requests' },
  { id: 'questions', name: 'Questions', panel: Questions, counted: 'unanswered' },
  { id: 'conversations', name: 'Conversations', panel: Conversations },
  { id: 'flex', name: 'Items & Flex', panel: Flex },
  { id: 'notifications', name: 'Notifications', panel: Notifications },
  { id: 'faults', name: 'Faults', panel: Faults, counted: 'faults' },
  { id: 'files', name: 'Files', panel: Files, counted: 'files' },
  { id: 'settings', name: 'Settings', panel: Settings },
  { id: 'connect', name: 'Connect', panel: Connect },
];
const ids = panels.map(({ id }) => id);

function Page(): VNode {
  const [state, setState] = useState<Snapshot | undefined>(undefined);
  const [isUp, setUp] = useState<boolean | undefined>(undefined);
  const [revealed, setRevealed] = useState<number | undefined>(undefined);
  const { chosen, isWide, choose } = useChoice(ids);
  useEffect(() => {
    listen(setState, setUp);
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey) return;
      if (event.target instanceof Element && event.target.closest('input, select, textarea')) return;
      event.preventDefault();
      choose('requests');
      // The panel that was chosen is drawn in a microtask, too.
      queueMicrotask(() => document.getElementById('find-requests')?.focus());
    });
  }, []);
  const reveal = async (id: number): Promise<void> => {
    const found = await search('requests', `#${id}`, 1);
    if (found?.count === 0) showToast(`Request ${id} is no longer in the list.`, true);
    if (!found?.count) return;
    choose('requests');
    setRevealed(id);
  };
  const counts = (counted: Panel['counted']): number => (state && counted ? state.counts[counted] : 0);
  const tabs = panels.map(({ id, name, counted }) => ({ id, name, count: counts(counted) }));
  const drawPanel = ({ id, panel }: Panel): VNode => {
    const isShown = id === chosen || (isWide && id === 'requests');
    const shown = (): void => setRevealed(undefined);
    return html`<${Section} key=${id} ...${{ id, panel, isShown, state, reveal, revealed, shown }} />`;
  };
  return html`
    <a class="skip" href="#panels">Skip to content</a>
    <${Header} state=${state} isUp=${isUp} />
    <${Tabs} tabs=${tabs} chosen=${chosen} choose=${choose} />
    <main id="panels" tabindex="-1">${state && panels.map(drawPanel)}</main>
    <${Toast} />
  `;
}

render(html`<${Page} />`, document.body);

interface HeaderProps {
  readonly state: Snapshot | undefined;
  /** Whether the server is connected; `undefined` before it was. */
  readonly isUp: boolean | undefined;
}

/** The name of the page, its connection, and what concerns all panels. */
function Header({ state, isUp }: HeaderProps): VNode {
  const isLive = isUp === true && state !== undefined;
  const isLost = isUp === false;
  const faults = state?.counts.faults ?? 0;
  const copyUrl = (): unknown => copy(location.origin, 'the base URL');
  const reset = (): unknown => post('reset', {}, 'Reset to the initial state');
  return html`
    <header>
      <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M6 12l3-6h14l3 6v2a3 3 0 0 1-5 2 3 3 0 0 1-5 0 3 3 0 0 1-5 0 3 3 0 0 1-5-2zM8 19h16v7H8z" />
      </svg>
      <h1>Fake marketplace</h1>
      <p class="link ${isLive ? 'up' : ''}" role="status">
        ${isLive ? 'Live' : isLost ? 'Connection lost' : 'Connecting'}
      </p>
      ${button(location.origin, copyUrl, { id: 'base-url', class: 'plain mono', title: 'Copy the base URL' })}
      ${state && html`<${Clock} state=${state} />`}
      ${faults > 0 && html`<p id="pending" class="pending">${faults} ${faults === 1 ? 'fault' : 'faults'} pending</p>`}
      ${button('Reset', reset, { id: 'reset', title: 'Restore the initial state' })}
    </header>
  `;
}
