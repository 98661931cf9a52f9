/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | ((event: any) => void) | null | undefined>} Attributes
 */

/**
 * Makes an element. Children are text or nodes, never markup: nothing that came over the wire is read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes] a function listens to the event of its name
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode));
  return element;
}

/** @param {Node | string | number} child */
function asNode(child) {
  return typeof child === 'object' ? child : String(child);
}

/**
 * The element with an id, which the page has.
 *
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return /** @type {T} */ (/** @type {unknown} */ (element));
}

/**
 * Shows a list: an entry that is as it was keeps its element, with what a person is writing in it.
 *
 * @template T
 * @param {HTMLElement} parent
 * @param {readonly T[]} entries
 * @param {(entry: T) => string | number} keyOf
 * @param {(entry: T, before: HTMLElement | undefined) => HTMLElement} draw may give back the element it is given, changed
 */
export function showList(parent, entries, keyOf, draw) {
  /** @type {Map<string, HTMLElement>} */
  const known = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement) known.set(child.dataset.key ?? '', child);
  }
  const wanted = entries.map((entry) => {
    const key = String(keyOf(entry));
    const text = JSON.stringify(entry);
    const before = known.get(key);
    if (before?.dataset.shown === text) return before;
    const element = draw(entry, before);
    element.dataset.key = key;
    element.dataset.shown = text;
    if (before && before !== element) before.replaceWith(element);
    return element;
  });
  for (const child of [...parent.children]) if (!wanted.includes(/** @type {HTMLElement} */ (child))) child.remove();
  // Moving an element takes the focus from it, so what stands where it belongs is left alone.
  for (const [index, element] of wanted.entries()) {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  }
}

/**
 * Sets what a person may choose, and keeps what they chose.
 *
 * @param {HTMLSelectElement} select
 * @param {readonly { value: string | number, label: string }[]} options
 */
export function choices(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.shown === text) return;
  const chosen = select.value;
  select.replaceChildren(...options.map(({ value, label }) => h('option', { value }, label)));
  if (options.some(({ value }) => String(value) === chosen)) select.value = chosen;
  select.dataset.shown = text;
}

/**
 * How long ago, in the fewest words.
 *
 * @param {number} ms
 */
export function ago(ms) {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}
