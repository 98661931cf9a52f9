import { isObject } from '../../core/json/plain-object.js';
import { entryOf, fieldOf, outside } from './places.js';
import type { Kind, SchemaPlace } from './places.js';
import { isKnownMessage, isServiceName, isServiceWord } from './words.js';

/** A larger count is masked: it could be a document or a phone number. */
const largestCount = 999_999;

/** A date of today's service. An earlier one could be of birth. */
const isoDate = /^20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** What replaces a string or a number at a place. */
export type Replace = (value: string | number, place: SchemaPlace) => string | number;

/** Replaces the strings and numbers of a JSON value. `nameOf` replaces the names that no schema knows. */
export function replaceIn(
  value: unknown,
  place: SchemaPlace,
  replace: Replace,
  nameOf: (name: string) => string,
): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceIn(each, entryOf(place), replace, nameOf));
  if (typeof value === 'string' || typeof value === 'number') return replace(value, place);
  if (!isObject(value)) return value;
  const entries = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value)) {
    const inner = fieldOf(place, name);
    const written = inner ? name : free(nameOf(name), entries);
    entries.set(written, replaceIn(field, inner ?? outside, replace, nameOf));
  }
  return Object.fromEntries(entries);
}

function free(name: string, entries: ReadonlyMap<string, unknown>): string {
  let [found, number] = [name, 2];
  while (entries.has(found)) found = `${name}_${number++}`;
  return found;
}

/** Masks a name that is none of the service. */
export function maskName(name: string): string {
  return isServiceName(name) ? name : maskText(name);
}

/** Masks the words of a code, e.g. `not_unanswered_question`, that are none of the service; `undefined` if a text is no code. */
function maskCode(text: string): string | undefined {
  if (text.length > 80 || !/^[A-Za-z]+([_./-][A-Za-z]+)*$/.test(text)) return undefined;
  return text.replace(/[A-Za-z]+/g, (word) => (isServiceWord(word) ? word : maskText(word)));
}

/** Whether a code has only words of the service. */
export function isServiceCode(text: string): boolean {
  return maskCode(text) === text;
}

/** Masks a text: its length and the classes of its characters stay, because texts have limits and alphabets. */
export function maskText(text: string): string {
  const masked = text.replace(/[a-z]/g, 'x').replace(/[A-Z]/g, 'X').replace(/[0-9]/g, '0');
  return masked.replace(/[^\u0000-\u007f]/gu, maskCharacter);
}

const classes: readonly (readonly [RegExp, string])[] = [
  [/[\u00c0-\u00ff]/, 'é'],
  [/\p{RI}/u, '\u{1F1E6}'],
  [/[\u{E0020}-\u{E007E}]/u, '\u{E0061}'],
  // Spaces, signs and what joins emoji say nothing of a person.
  [/[\s\u0080-\u00bf\ufe0f\u200d\u20e3\ud800-\udfff\p{Emoji_Modifier}\u{E007F}]/u, ''],
  [/\p{Extended_Pictographic}/u, '😀'],
  [/[\p{L}\p{N}]/u, 'ж'],
];

function maskCharacter(character: string): string {
  const found = classes.find(([pattern]) => pattern.test(character));
  return found ? found[1] || character : '→';
}

/** Masks a date of an earlier century: its form stays. */
function earlierDate(text: string): string | undefined {
  if (!isoDate.test(`20${text.slice(2)}`) || !/^\d\d/.test(text)) return undefined;
  return `1970-01-01${text.slice(10).replace(/\d/g, '0')}`;
}

/** Masks a number: its digits become ones. */
function maskNumber(value: number): number {
  return Number(String(value).replace(/[0-9]/g, '1')) || 1;
}

/** A number of 32 bits of a text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  return hash >>> 0;
}

/** The codes of sites. */
const site = 'M(?:L[ABCMUV]|BO|CO|CR|CU|EC|GT|HN|NI|PA|PE|PY|RD|SV)';
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A longer id stays one that is longer, and one beyond 2^53 stays beyond. */
function firstDigits(length: number): string {
  if (length <= 10) return '9';
  return length <= 16 ? '9000000' : '9000000000';
}

/** The forms of ids: what stays of an id, and its new digits, of which the last four count ids with the same mark. */
const forms: readonly (readonly [RegExp, (mark: string, text: string) => string])[] = [
  [/^[1-9]\d*$/, (mark, { length }) => `${firstDigits(length)}${mark}`],
  [new RegExp(`^(${site})-?\\d+$`), (mark, text) => `${text.slice(0, 3)}9${mark}`],
  [/^[0-9a-f]{16,}$/i, (mark) => mark.padStart(28, 'e')],
  [/^(?=.*\d)[\w.~:-]{1,200}$/, (mark) => `id-${mark}`],
];
/** Ids that name a thing of the service, and no entry of an account. */
const constantId = new RegExp(`^(TEMPLATE___[A-Z_]+___\\d{1,3}(___VAR___[A-Z]+)?|${site}(-\\d{1,2})?|0)$`);

/**
 * Masks the values of one tape. An id becomes another one that is always the same: five of its digits are a mark, made from the
 * id. A fake that has the id is found by it, but of all ids 1 in 100,000 has the same mark, so that no id can be found.
 */
export class Masker {
  readonly #keepsIds: boolean;
  readonly #sameMark = new Map<string, string[]>();
  readonly #secrets = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor({ keepsIds = false }: { readonly keepsIds?: boolean } = {}) {
    this.#keepsIds = keepsIds;
  }

  /** The ids that were masked, by what replaces them. */
  get ids(): ReadonlyMap<string, string> {
    return this.#ids;
  }

  /** Masks a JSON value. */
  value(value: unknown, place: SchemaPlace): unknown {
    return replaceIn(value, place, (each, at) => this.leaf(each, at), maskName);
  }

  /** Masks a string or a number at a place. */
  leaf(value: string | number, place: SchemaPlace): string | number {
    for (const kind of place.kinds) {
      const kept = this.#kept(value, kind, place);
      if (kept !== undefined) return kept;
    }
    return typeof value === 'number' ? maskNumber(value) : maskText(value);
  }

  /** Returns the label of a secret, by which it is recognised when it comes again. */
  secret(value: string): string {
    if (value === '') return value;
    const label = this.#secrets.get(value) ?? `secret-${this.#secrets.size + 1}`;
    this.#secrets.set(value, label);
    return label;
  }

  /** Returns the label of a secret that has come before. */
  knownSecret(value: string): string | undefined {
    return this.#secrets.get(value);
  }

  /** Returns a secret by its label. */
  secretOf(label: string): string | undefined {
    return [...this.#secrets].find(([, each]) => each === label)?.[0];
  }

  /** Masks an id; `undefined` if the text has the form of none. */
  id(text: string): string | undefined {
    if (constantId.test(text) || currencies.has(text.toUpperCase()) || isServiceCode(text)) return text;
    const form = this.#keepsIds ? undefined : formOf(text);
    const masked = form === undefined ? formOf(text) && text : `${form}${this.#numberOf(form, text)}`;
    if (masked !== undefined) this.#ids.set(masked, text);
    return masked;
  }

  /** Masks the ids in a path such as `/packs/1/sellers/2`, and what is no word of the service. */
  link(path: string): string {
    return path.replace(/[^/?&=]+/g, (part) =>
      /^v\d$/.test(part) ? part : (maskCode(part) ?? this.id(part) ?? maskText(part)),
    );
  }

  /** The first id with a mark has the number 0001. */
  #numberOf(form: string, text: string): string {
    const same = this.#sameMark.get(form) ?? [];
    if (!same.includes(text)) this.#sameMark.set(form, [...same, text]);
    return String((this.#sameMark.get(form) ?? []).indexOf(text) + 1).padStart(4, '0');
  }

  /** What stays of a value of this kind; `undefined` if it is none of this kind. */
  #kept(value: string | number, kind: Kind, { values = [] }: SchemaPlace): string | number | undefined {
    const text = String(value);
    const asGiven = (masked: string | undefined): string | number | undefined =>
      masked !== undefined && typeof value === 'number' ? Number(masked) || undefined : masked;
    switch (kind) {
      case 'id':
        return asGiven(eachPart(text, (part) => this.id(part)));
      case 'count':
        // With more decimals, it could be a position on a map.
        return /^-?(0|[1-9]\d*)(\.\d{1,2})?$/.test(text) && Math.abs(Number(text)) <= largestCount ? value : undefined;
      case 'status':
        return /^[1-9]\d{0,2}$/.test(text) ? value : undefined;
      case 'date':
        return isoDate.test(text) ? value : earlierDate(text);
      case 'enum':
      case 'word':
      case 'names':
        return (
          eachPart(text, (part) => (isValue(part, values) ? part : maskCode(part))) ??
          (/^\d{1,3}$/.test(text) ? value : undefined)
        );
      case 'error text':
        return isKnownMessage(text) ? value : maskCode(text);
      case 'secret':
        return this.secret(text);
      case 'link':
        return this.link(text);
      case 'query document':
        return this.#queryDocument(text);
      case 'text':
        return undefined;
    }
  }

  #queryDocument(text: string): string {
    return text.replace(/"(?:[^"\\]|\\.)*"|#[^\n]*|\d+|[A-Za-z_]\w*|[^\u0000-\u007f]+/g, (token) => {
      if (/^\d/.test(token)) return this.id(token) ?? maskText(token);
      return /^\w/.test(token) ? maskName(token) : maskText(token);
    });
  }
}

function isValue(text: string, values: readonly string[]): boolean {
  return text === '' || values.some((each) => each.toLowerCase() === text.toLowerCase());
}

/** Masks each part of a list with commas; `undefined` if one is of another kind. */
function eachPart(text: string, mask: (part: string) => string | undefined): string | undefined {
  const parts = text.split(',').map(mask);
  return parts.includes(undefined) ? undefined : parts.join(',');
}

/** Returns the form of an id with its mark; `undefined` for a text that is no id. */
export function formOf(text: string): string | undefined {
  const mark = String(hashOf(text) % 100_000).padStart(5, '0');
  const found = forms.find(([pattern]) => pattern.test(text));
  return found?.[1](mark, text);
}

/** Whether two ids are of one form: digits, digits after a site, a hexadecimal number, or another one. */
export function areOfOneForm(a: string, b: string): boolean {
  const [form, other] = [a, b].map((text) => forms.findIndex(([pattern]) => pattern.test(text)));
  return form !== undefined && form >= 0 && form === other;
}
