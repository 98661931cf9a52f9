import type { Snapshot } from '../snapshot.js';
import { Connect } from './connect.js';
import { Conversations } from './conversations.js';
import { listen } from './events.js';
import { Faults } from './faults.js';
import { Files } from './files.js';
import { Flex } from './flex.js';
import { Header } from './header.js';
import { Notifications } from './notifications.js';
import { Section } from './panel.js';
import type { PanelProps } from './panel.js';
import { html, render, useEffect, useState } from './preact.js';
import type { VNode } from './preact.js';
import { Questions } from './questions.js';
import { Requests } from './requests.js';
import { search } from './server.js';
import { Settings } from './settings.js';
import { Tabs, useChoice } from './tabs.js';
import { Toast, showToast } from './toast.js';

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
