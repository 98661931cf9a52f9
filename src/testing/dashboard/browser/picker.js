import { h } from './dom.js';
import { search } from './server.js';

/** @typedef {import('../snapshot.js').Snapshot} Snapshot */

const maxSuggestions = 20;

/** @param {Snapshot['users'][number]} user */
export function labelOfUser({ nickname, user_id }) {
  return `${nickname} ${user_id}`;
}

/** @param {Snapshot['items'][number]} item */
export function labelOfItem({ title, item_id }) {
  return `${title} ${item_id}`;
}

const labels = { users: labelOfUser, items: labelOfItem };

/**
 * Makes an input suggest users or items that contain what a person types. Its value ends in the id.
 *
 * @param {HTMLInputElement} input
 * @param {'users' | 'items'} list
 */
export function startPicker(input, list) {
  const form = /** @type {HTMLFormElement} */ (input.form);
  const options = h('datalist', { id: `${form.id}-${input.name}-options` });
  form.append(options);
  input.setAttribute('list', options.id);
  input.autocomplete = 'off';
  input.required = true;
  // Without an id, a name is what a person began to type.
  input.pattern = '.*\\d\\s*';
  input.title = 'Choose a suggestion: the value ends in an id';
  const suggest = async () => {
    const text = input.value;
    const found = await search(list, text, maxSuggestions);
    if (!found || input.value !== text) return;
    const label = /** @type {(entry: any) => string} */ (labels[list]);
    options.replaceChildren(...found.entries.map((entry) => h('option', { value: label(entry) })));
  };
  input.addEventListener('input', () => void suggest());
  input.addEventListener('focus', () => {
    input.select();
    void suggest();
  });
}

/**
 * Fills in a picker that is empty, unless a person is about to.
 *
 * @param {HTMLInputElement} input
 * @param {string | undefined} label
 */
export function fillIn(input, label = '') {
  if (input.value === '' && document.activeElement !== input) input.value = label;
}

/**
 * Returns the id at the end of a picker's value.
 *
 * @param {string | undefined} value
 */
export function idIn(value = '') {
  return value.trim().split(/\s+/).at(-1) ?? '';
}
