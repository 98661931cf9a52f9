import type { Kind, SchemaPlace } from './conventions.js';
import { formOf, isConstantId, isCount, maskCode, maskDate, maskName, maskNumber, maskText } from './mask-text.js';
import { replaceIn } from './places.js';
import { isKnownMessage } from './words.js';

/**
 * Masks the values of one tape. An id becomes another one that is always the same: five of its digits are a mark, made from the
 * id. A fake that has the id is found by it, but of all ids 1 in 100,000 has the same mark, so that no id can be found.
 */
export class Masker {
  readonly #keepsIds: boolean;
  readonly #sameMark = new Map<string, string[]>();
  readonly #secrets = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  constructor({ keepsIds = false }: { readonly keepsIds?: boolean } = {}) {
    this.#keepsIds = keepsIds;
  }

  /** Returns the id, or the secret, that was masked by this one; `undefined` if there is none. */
  originalOf(masked: string): string | undefined {
    return this.#originals.get(masked);
  }

  /** Masks a JSON value. */
  value(value: unknown, place: SchemaPlace): unknown {
    return replaceIn(value, place, (each, at) => this.leaf(each, at), maskName);
  }

  /** Masks a string or a number at a place. A number stays one. */
  leaf(value: string | number, { kinds, values = [] }: SchemaPlace): string | number {
    for (const kind of kinds) {
      const masked = this.#masked(String(value), kind, values);
      if (masked === undefined) continue;
      if (typeof value === 'string') return masked;
      if (!Number.isNaN(Number(masked))) return Number(masked);
    }
    return typeof value === 'number' ? maskNumber(value) : maskText(value);
  }

  /** Masks a secret by a label, by which it is recognised when it comes again. */
  secret(value: string): string {
    if (value === '') return value;
    const label = this.#secrets.get(value) ?? `secret-${this.#secrets.size + 1}`;
    this.#secrets.set(value, label);
    this.#originals.set(label, value);
    return label;
  }

  /** Returns the label of a secret that has come before. */
  knownSecret(value: string): string | undefined {
    return this.#secrets.get(value);
  }

  /** Masks an id; `undefined` if the text has the form of none. */
  id(text: string): string | undefined {
    if (isConstantId(text)) return text;
    const form = formOf(text);
    if (form === undefined) return undefined;
    const same = this.#sameMark.get(form) ?? [];
    if (!same.includes(text)) same.push(text);
    this.#sameMark.set(form, same);
    // The first id with a mark has the number 0001.
    const masked = this.#keepsIds ? text : `${form}${String(same.indexOf(text) + 1).padStart(4, '0')}`;
    this.#originals.set(masked, text);
    return masked;
  }

  /** Masks a text of a kind; `undefined` if it is none of this kind. */
  #masked(text: string, kind: Kind, values: readonly string[]): string | undefined {
    switch (kind) {
      case 'id':
        return eachPart(text, (part) => this.id(part));
      case 'count':
        return isCount(text) ? text : undefined;
      case 'date':
        return maskDate(text);
      case 'word':
        return /^\d{1,3}$/.test(text)
          ? text
          : eachPart(text, (part) => (isValue(part, values) ? part : maskCode(part)));
      case 'error text':
        return isKnownMessage(text) ? text : maskCode(text);
      case 'secret':
        return this.secret(text);
      case 'link':
        // The ids in a path such as `/packs/1/sellers/2`, and what is no word of the service.
        return text.replace(/[^/?&=]+/g, (part) =>
          /^v\d$/.test(part) ? part : (maskCode(part) ?? this.id(part) ?? maskText(part)),
        );
      case 'query document':
        return text.replace(/"(?:[^"\\]|\\.)*"|#[^\n]*|\d+|[A-Za-z_]\w*|[^\u0000-\u007f]+/g, (token) => {
          if (/^\d/.test(token)) return this.id(token) ?? maskText(token);
          return /^\w/.test(token) ? maskName(token) : maskText(token);
        });
    }
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
