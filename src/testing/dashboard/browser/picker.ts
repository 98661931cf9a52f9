import type { Snapshot } from '../snapshot.js';
import { field, valueOf } from './parts.js';
import { html, useEffect, useId, useRef, useState } from './preact.js';
import type { VNode } from './preact.js';
import { search } from './server.js';

type Entry = Snapshot['users'][number] | Snapshot['items'][number];

interface PickerProps {
  readonly name: string;
  readonly label: string;
  readonly list: 'users' | 'items';
  /** What an empty field is filled with. */
  readonly initial: Entry | undefined;
}

/** A field that suggests users or items that contain what a person types. Its value ends in the id. */
export function Picker({ name, label, list, initial }: PickerProps): VNode {
  const ref = useRef<HTMLInputElement>(null);
  const options = useId();
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const onInput = async (event: Event): Promise<void> => {
    const text = valueOf(event);
    const found = await search(list, text, 20);
    if (found && ref.current?.value === text) setSuggestions(found.entries.map(labelOf));
  };
  const onFocus = (event: Event): void => {
    ref.current?.select();
    void onInput(event);
  };
  useEffect(() => {
    const input = ref.current;
    // A person who is in the field is about to fill it in.
    if (input?.value === '' && document.activeElement !== input) input.value = initial ? labelOf(initial) : '';
  });
  // Without an id, a name is what a person began to type.
  const valid = { required: true, pattern: String.raw`.*\d\s*`, title: 'Choose a suggestion: the value ends in an id' };
  return html`
    ${field(label, name, { ref, list: options, autocomplete: 'off', onInput, onFocus, ...valid })}
    <datalist id=${options}>${suggestions.map((value) => html`<option key=${value} value=${value} />`)}</datalist>
  `;
}

/** A field for a user. */
export function userField(label: string, name: string, initial: Snapshot['users'][number] | undefined): VNode {
  return html`<${Picker} label=${label} name=${name} list="users" initial=${initial} />`;
}

/** The newest user without items. */
export function buyerIn({ users }: Snapshot): Snapshot['users'][number] | undefined {
  return users.findLast(({ sells }) => !sells);
}

function labelOf(entry: Entry): string {
  return 'nickname' in entry ? `${entry.nickname} ${entry.user_id}` : `${entry.title} ${entry.item_id}`;
}

/** Returns the id at the end of a picker's value. */
export function idIn(value = ''): string {
  return value.trim().split(/\s+/).at(-1) ?? '';
}
