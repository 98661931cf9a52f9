import type { Snapshot } from '../snapshot.js';
import { Clock } from './clock.js';
import { button } from './parts.js';
import { html } from './preact.js';
import type { VNode } from './preact.js';
import { copy, post } from './server.js';

interface HeaderProps {
  readonly state: Snapshot | undefined;
  /** Whether the server is connected; `undefined` before it was. */
  readonly isUp: boolean | undefined;
}

/** The name of the page, its connection, and what concerns all panels. */
export function Header({ state, isUp }: HeaderProps): VNode {
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
