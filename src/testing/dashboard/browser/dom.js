/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | ((event: any) => void) | null | undefined>} Attributes
 */

/**
 * Creates an element. Children are text or nodes, never markup, so that no data is parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes] a function is added as the listener of the event of that name
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
 * Returns the element with an id. Throws when there is none.
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
 * Renders a list. An unchanged entry keeps its element, with its focus and input.
 *
 * @template T
 * @param {HTMLElement} parent
 * @param {readonly T[]} entries
 * @param {(entry: T) => string | number} keyOf
 * @param {(entry: T, before: HTMLElement | undefined) => HTMLElement} draw may update and return the element that it receives
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
  // Moving an element would take its focus, so one in the right place stays.
  for (const [index, element] of wanted.entries()) {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  }
}

/**
 * Sets the options of a select and keeps its selection.
 *
 * @param {HTMLSelectElement} select
 * @param {readonly { value: string | number, label: string }[]} options
 */
export function setOptions(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.shown === text) return;
  const chosen = select.value;
  select.replaceChildren(...options.map(({ value, label }) => h('option', { value }, label)));
  if (options.some(({ value }) => String(value) === chosen)) select.value = chosen;
  select.dataset.shown = text;
}

/**
 * Calls a function with the fields of a form when it is submitted, instead of loading a page.
 *
 * @param {HTMLElement} form
 * @param {(fields: Record<string, string>) => void} run
 */
export function onSubmit(form, run) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (form));
    run(/** @type {Record<string, string>} */ (Object.fromEntries(data)));
  });
}

/**
 * Makes a button with the role `switch` call a function with its next state.
 *
 * @param {HTMLElement} button
 * @param {(isOn: boolean) => void} change
 */
export function onSwitch(button, change) {
  button.addEventListener('click', () => change(button.getAttribute('aria-checked') !== 'true'));
}

/**
 * Returns the input or select with a name in a form.
 *
 * @template {HTMLInputElement | HTMLSelectElement} [T=HTMLInputElement]
 * @param {HTMLElement} form
 * @param {string} name
 */
export function fieldOf(form, name) {
  return /** @type {T} */ (/** @type {HTMLFormElement} */ (form).elements.namedItem(name));
}

/**
 * Formats a duration as a relative time.
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
