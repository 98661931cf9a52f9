import type { Snapshot } from '../snapshot.js';
import { html } from './preact.js';
import type { ComponentChildren, VNode } from './preact.js';

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
