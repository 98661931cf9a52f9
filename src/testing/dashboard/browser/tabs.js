import { byId } from './dom.js';

const tabs = /** @type {HTMLElement[]} */ ([...byId('tabs').querySelectorAll('[role=tab]')]);
/** From this width on, the requests are shown beside the other panels. */
const wide = window.matchMedia('(min-width: 60rem)');

/** @type {(() => void) | undefined} */
let onChoice;

/**
 * Selects a tab and shows its panel.
 *
 * @param {HTMLElement} chosen
 */
function choose(chosen) {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(panelOf(tab)).hidden = !isChosen && !(wide.matches && panelOf(tab) === 'requests');
  }
  onChoice?.();
}

/**
 * Selects a tab and puts it into the URL. Without a person's choice the URL stays as it is: a hash in it would make the
 * first Tab key start at the panel instead of the skip link.
 *
 * @param {HTMLElement} chosen
 */
function chooseAndRemember(chosen) {
  if (!choosable().includes(chosen)) return;
  choose(chosen);
  history.replaceState(null, '', `#${panelOf(chosen)}`);
}

/** @param {HTMLElement} tab */
function panelOf(tab) {
  return tab.getAttribute('aria-controls') ?? '';
}

/** The tabs that can be selected. On a wide screen the requests are always visible and have none. */
function choosable() {
  return tabs.filter((tab) => !(wide.matches && panelOf(tab) === 'requests'));
}

/** Selects the tab in the URL's hash, or the first one. */
function chooseByAddress() {
  const named = choosable().find((tab) => `#${panelOf(tab)}` === location.hash);
  const first = named ?? choosable()[0];
  if (first) choose(first);
}

/**
 * Sets up the tabs; the arrow keys, Home and End move between them.
 *
 * @param {() => void} draw called when another panel is shown
 */
export function startTabs(draw) {
  onChoice = draw;
  for (const tab of tabs) {
    tab.addEventListener('click', () => chooseAndRemember(tab));
    tab.addEventListener('keydown', (event) => {
      const among = choosable();
      const at = among.indexOf(tab);
      const [after, before] = [at + 1, at - 1];
      const steps = { ArrowRight: after, ArrowDown: after, ArrowLeft: before, ArrowUp: before, Home: 0, End: -1 };
      const to = steps[/** @type {keyof typeof steps} */ (event.key)];
      const next = among.at(to % among.length);
      if (Number.isNaN(to % among.length) || !next) return;
      event.preventDefault();
      chooseAndRemember(next);
      next.focus();
    });
  }
  wide.addEventListener('change', chooseByAddress);
  window.addEventListener('hashchange', chooseByAddress);
  chooseByAddress();
}

/**
 * Shows a count on a tab.
 *
 * @param {string} panel
 * @param {number} count
 */
export function count(panel, count) {
  const tab = byId(`tab-${panel}`);
  if (count > 0) tab.dataset.count = String(count);
  else delete tab.dataset.count;
}
