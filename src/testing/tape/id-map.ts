import { isObject } from '../../core/json/plain-object.js';

/** Replaces the ids of a tape with those of the fake, which it learns from each pair of responses. */
export class IdMap {
  readonly #ids: Map<string, string>;

  constructor(known: ReadonlyMap<string, string>) {
    this.#ids = new Map(known);
  }

  /** Learns which ids of two responses stand at the same place. */
  learn(expected: unknown, actual: unknown, name = ''): void {
    if (Array.isArray(expected) && Array.isArray(actual))
      for (const [index, each] of expected.entries()) this.learn(each, actual[index], name);
    else if (isObject(expected) && isObject(actual))
      for (const [key, value] of Object.entries(expected)) this.learn(value, actual[key], key);
    else if (isId(name, expected) && isId(name, actual) && !this.#ids.has(String(expected)))
      this.#ids.set(String(expected), String(actual));
  }

  /** Replaces the ids of a JSON value. */
  apply(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.apply(each));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.apply(field)]));
    if (typeof value === 'number') return Number(this.#ids.get(String(value)) ?? value);
    return typeof value === 'string' ? (this.#ids.get(value) ?? value) : value;
  }

  /** Replaces the ids in the segments and the query of a path. */
  applyToPath(path: string): string {
    return path.replace(/[^/?&=,]+/g, (part) => this.#ids.get(part) ?? part);
  }
}

/** Short numbers, such as 1 or 50, would be replaced where they are counts. */
function isId(name: string, value: unknown): boolean {
  const isNamed = /(^|_)ids?$|^filename$/.test(name);
  return (
    isNamed && (typeof value === 'number' || typeof value === 'string') && /\d{3,}|[0-9a-f]{16,}/.test(String(value))
  );
}
