import { button } from './parts.js';
import { html, useEffect, useState } from './preact.js';
import type { VNode } from './preact.js';

/** A tab, by the id of its panel. */
export interface Tab {
  readonly id: string;
  readonly name: string;
  /** A number that it shows; none if it is 0. */
  readonly count: number;
}

interface Choice {
  readonly chosen: string;
  readonly isWide: boolean;
  /** Selects a tab and puts it into the URL. */
  readonly choose: (id: string) => void;
}

/** From this width on, the requests are shown beside the other panels. */
const wide = window.matchMedia('(min-width: 60rem)');

/** The tabs that can be selected. On a wide screen the requests are always visible and have none. */
function choosable(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => !(wide.matches && id === 'requests'));
}

/** The tab that is selected: at first the one in the URL's hash, or the first one. */
export function useChoice(ids: readonly string[]): Choice {
  const byAddress = (): string => {
    const among = choosable(ids);
    return among.find((id) => `#${id}` === location.hash) ?? among[0] ?? '';
  };
  const [choice, setChoice] = useState(() => ({ chosen: byAddress(), isWide: wide.matches }));
  const show = (chosen: string): void => setChoice({ chosen, isWide: wide.matches });
  useEffect(() => {
    wide.addEventListener('change', () => show(byAddress()));
    window.addEventListener('hashchange', () => show(byAddress()));
  }, []);
  // Without a person's choice the URL stays as it is: with a hash in it, the first Tab key would start at the panel, not at
  // the skip link.
  const choose = (id: string): void => {
    if (!choosable(ids).includes(id)) return;
    show(id);
    history.replaceState(null, '', `#${id}`);
  };
  return { ...choice, choose };
}

interface TabsProps extends Pick<Choice, 'chosen' | 'choose'> {
  readonly tabs: readonly Tab[];
}

/** The tabs; the arrow keys, Home and End move between them. */
export function Tabs({ tabs, chosen, choose }: TabsProps): VNode {
  const move = (event: KeyboardEvent): void => {
    const among = choosable(tabs.map(({ id }) => id));
    const at = among.indexOf(chosen);
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 },
      ...{ Home: 0, End: -1 },
    };
    const step = steps[event.key];
    const next = step === undefined ? undefined : among.at(step % among.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  const draw = ({ id, name, count }: Tab): VNode => {
    const isChosen = id === chosen;
    const state = { 'aria-controls': id, 'aria-selected': isChosen, tabindex: isChosen ? 0 : -1 };
    const shown = { 'data-count': count === 0 ? null : count };
    return button(name, () => choose(id), { key: id, id: `tab-${id}`, role: 'tab', ...state, ...shown });
  };
  return html`
    <nav aria-label="Dashboard">
      <div class="tabs" role="tablist" aria-label="Sections" onKeyDown=${move}>${tabs.map(draw)}</div>
    </nav>
  `;
}
