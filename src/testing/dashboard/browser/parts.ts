import type { Snapshot } from '../snapshot.js';
import { html, useEffect, useId, useRef, useState, type ComponentChildren, type VNode } from './preact.js';
import { search, type Found, type SearchedList } from './server.js';

/** The fields of a form, by name. */
export type Fields = Readonly<Record<string, string>>;

/** The choices of a select. */
export type Choices = readonly (readonly [value: string | number, label: string])[];

/** A button. */
export function button(label: string, click: () => unknown, props: object = {}): VNode {
  return html`<button type="button" onClick=${click} ...${props}>${label}</button>`;
}

/** A button that is on or off. */
export function toggle(label: string, isOn: boolean, change: (isOn: boolean) => unknown, props: object = {}): VNode {
  return button(label, () => change(!isOn), { role: 'switch', 'aria-checked': isOn, ...props });
}

/** A form, which calls a function with its fields instead of loading a page. */
export function form(
  look: string,
  run: (fields: Fields, form: HTMLFormElement) => unknown,
  ...children: ComponentChildren[]
): VNode {
  const submit = (event: Event): void => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    run(Object.fromEntries(new FormData(element)) as Fields, element);
  };
  return html`<form class=${look} onSubmit=${submit}>${children}</form>`;
}

/** The button that submits a form. */
export function submit(label: string, look = 'strong'): VNode {
  return html`<button class=${look} type="submit">${label}</button>`;
}

/** A field of a form. */
export function field(label: string, name: string, props: object = {}): VNode {
  return html`<label>${label} <input name=${name} ...${props} /></label>`;
}

/** A select. Without `value`, what a person has chosen stays. */
export function select(choices: Choices, props: object): VNode {
  const options = choices.map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`);
  return html`<select ...${props}>
    ${options}
  </select>`;
}

/** Choices that are called as they are. */
export function named(values: readonly string[]): Choices {
  return values.map((value) => [value, value.replaceAll('_', ' ')]);
}

/** The value of the input or select that an event is about. */
export function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement).value;
}

/** A part of a panel that a person opens. */
export function fold(title: string, content: ComponentChildren, props: object = {}): VNode {
  return html`<details class="card fold" ...${props}>
    <summary><h3>${title}</h3></summary>
    ${content}
  </details>`;
}

/** A line of which the parts stand at both ends. */
export function heading(...parts: ComponentChildren[]): VNode {
  return html`<div class="heading">${parts}</div>`;
}

/** A short word on a colour: `good`, `warning`, `bad` or that of the page. */
export function chip(text: ComponentChildren, kind = ''): VNode {
  return html`<span class="chip ${kind}">${text}</span>`;
}

/** An entry of a list: its title, what stands at the end of this line, and the rest. */
export function card(
  props: object,
  title: ComponentChildren,
  end: ComponentChildren,
  ...rest: ComponentChildren[]
): VNode {
  return html`<article class="card" ...${props}>${heading(html`<p class="about">${title}</p>`, end)}${rest}</article>`;
}

/** Says how many entries of a list are shown, if not all of them are. */
export function noteOf(list: keyof Snapshot & keyof Snapshot['counts'], state: Snapshot): string {
  const { length: shown } = state[list];
  const count = state.counts[list];
  return shown === count ? '' : `${shown} newest of ${count.toLocaleString('en')}`;
}

/** A list: a note of how many entries are shown, what is said if there is none, and the entries. */
export function list(
  id: string,
  note: string,
  none: string | false,
  entries: ComponentChildren,
  tag = 'div',
  look = 'cards',
): VNode {
  return html`
    ${note && html`<p id="shown-${id}s" class="small">${note}</p>`} ${none && html`<p class="empty">${none}</p>`}
    <${tag} id="${id}-list" class=${look}>${entries}<//>
  `;
}

/** What each panel gets. */
export interface PanelProps {
  readonly state: Snapshot;
  /** Shows a request, by its number. */
  readonly reveal: (id: number) => unknown;
  /** The request to show; `undefined` after it was shown. */
  readonly revealed: number | undefined;
  /** Says that it was shown. */
  readonly shown: () => void;
}

interface SectionProps extends PanelProps {
  readonly id: string;
  readonly isShown: boolean;
  readonly panel: (props: PanelProps) => VNode;
}

/** A section of the page. Its panel is drawn only while it is shown, and keeps what a person has entered. */
export function Section({ id, isShown, panel, ...props }: SectionProps): VNode {
  const drawn = useRef<VNode | undefined>(undefined);
  if (isShown) drawn.current = html`<${panel} ...${props} />`;
  return html`
    <section id=${id} role="tabpanel" aria-labelledby="tab-${id}" hidden=${!isShown}>${drawn.current}</section>
  `;
}

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

/** Formats a duration as a relative time. */
export function ago(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}

/** Joins the parts that are texts. */
export function joined(parts: readonly (string | false | null | undefined)[], separator: string): string {
  return parts.filter(Boolean).join(separator);
}

/** Quotes a text for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Finder<List extends SearchedList> {
  /** The newest entries, or those that contain the text of the field. */
  readonly entries: Snapshot[List];
  /** Says how many entries are shown or found. */
  readonly note: string;
  readonly field: VNode;
  readonly setText: (text: string) => void;
}

/** The newest entries of a list, or those that contain what a person types into its search field. */
export function useFinder<List extends SearchedList>(list: List, state: Snapshot, props: object = {}): Finder<List> {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found<List> | undefined>(undefined);
  const { current: searching } = useRef({ text, isStale: false, isBusy: false });
  // One search at a time: a busy marketplace changes more often than it can be searched.
  const refresh = async (): Promise<void> => {
    if (searching.isBusy) return;
    searching.isBusy = true;
    while (searching.isStale) {
      searching.isStale = false;
      setFound(searching.text === '' ? undefined : await search(list, searching.text, 100));
    }
    searching.isBusy = false;
  };
  useEffect(() => {
    searching.text = text.trim();
    searching.isStale = true;
    void refresh();
  }, [text, state]);
  const attributes = {
    id: `find-${list}`,
    type: 'search',
    placeholder: 'Search',
    'aria-label': `Search the ${list}`,
    ...props,
  };
  const input = (event: Event): void => setText(valueOf(event));
  const field = html`<input class="filter" value=${text} onInput=${input} ...${attributes} />`;
  return {
    entries: found?.entries ?? state[list],
    note: found ? describe(found) : noteOf(list, state),
    field,
    setText,
  };
}

function describe({ count, entries }: { readonly count: number; readonly entries: readonly unknown[] }): string {
  if (count === 0) return 'No entry contains this text.';
  return entries.length < count ? `${entries.length} newest of ${count.toLocaleString('en')} found` : `${count} found`;
}

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
