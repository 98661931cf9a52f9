import type { Facts } from './schema.js';
import { factsOf, inspect, unwrapped } from './describe.js';
import type { Inspected } from './describe.js';
import type { Path } from '../errors/issue.js';
import { valueAt } from './issues.js';
import type { StandardSchema } from './schema.js';

/** A place in a value: what is set aside there and below. */
interface Place {
  /** The pass that set it aside. */
  pass?: number;
  /** A valid value in its place, without which the rest cannot be parsed. */
  standIn?: unknown;
  /** Whether an entry of a list is returned as it came; otherwise it is left out. */
  isKept?: boolean;
  readonly below: Map<PropertyKey, Place>;
}

/** The parts of a value that do not fit its schema, by their paths. The rest is parsed without them. */
export class SetAside {
  readonly #schema: StandardSchema;
  readonly #value: unknown;
  readonly #isRelaxed: boolean;
  readonly #root: Place = { below: new Map() };
  #count = 0;

  constructor(schema: StandardSchema, value: unknown, isRelaxed: boolean) {
    this.#schema = schema;
    this.#value = value;
    this.#isRelaxed = isRelaxed;
  }

  /** The value without what is set aside. */
  rest(): unknown {
    return restOf(this.#value, this.#root);
  }

  /** Puts what is set aside into the parsed rest, as it came; entries that are left out are missing. */
  putBack(parsed: unknown): unknown {
    return whole(parsed, this.#value, this.#root);
  }

  /** How many entries the main list has lost. */
  get leftOut(): number {
    const field = [...this.#root.below].find(([name]) => this.#roleAt([name]) === 'main')?.[1];
    return lostOf(Array.isArray(this.#value) ? this.#root : field);
  }

  /** Returns the path in the value of a path in the rest, whose lists lack the entries that are set aside. */
  placeOf(path: Path): Path {
    let place: Place | undefined = this.#root;
    return path.map((key) => {
      const at = typeof key === 'number' ? indexOf(key, place) : key;
      place = place?.below.get(at);
      return at;
    });
  }

  /** Whether a place is set aside, or is in something that is. */
  has(path: Path): boolean {
    return path.some((_, index) => this.#at(path.slice(0, index + 1))?.pass !== undefined);
  }

  /**
   * Sets aside the smallest part around a place without which the rest can fit. What an earlier pass set aside and is
   * still wrong needs a larger part.
   *
   * @returns `false` if that is the whole value.
   */
  add(path: Path, pass: number): boolean {
    if (path.some((_, index) => this.#at(path.slice(0, index + 1))?.pass === pass)) return true;
    for (let length = path.length; length > 0; length -= 1) {
      const at = path.slice(0, length);
      if (this.#at(at)?.pass !== undefined) continue;
      const list = at.slice(0, -1);
      if (!Array.isArray(valueAt(list, this.#value))) {
        const field = this.#field(at);
        if (field) return this.#set(at, { ...field, pass });
        continue;
      }
      const role = this.#roleAt(list);
      const isKept = this.#isRelaxed && (role !== 'main' || valueAt(at, this.#value) !== null);
      // A list of which every entry counts fails the object that contains it.
      if (!isKept && role === 'whole') length -= 1;
      // An entry of another type puts the whole list into question, unless the response is about the list.
      else if (isKept || role === 'main' || length < path.length) return this.#addEntry(at, { isKept, pass });
    }
    return false;
  }

  /** How many places are set aside. */
  get count(): number {
    return this.#count;
  }

  #addEntry(at: Path, entry: Omit<Place, 'below'>): boolean {
    this.#set(at, entry);
    const list = at.slice(0, -1);
    const { length } = valueAt(list, this.#value) as unknown[];
    // A list of which no entry is left does not fit.
    return lostOf(this.#at(list)) < length || this.add(list, entry.pass ?? 0);
  }

  /** How a field is set aside; `undefined` if its object is useless without it. */
  #field(at: Path): Omit<Place, 'below'> | undefined {
    const schema = this.#schemaAt(at);
    const { kind } = inspect(schema);
    const { list } = factsOf(schema);
    if (list === 'main') return undefined;
    if (schema === undefined || (kind === 'optional' && (list === undefined || this.#isRelaxed))) return {};
    if (kind === 'nullable') return { standIn: null };
    return this.#isRelaxed ? { standIn: exampleOf(schema) } : undefined;
  }

  #set(path: Path, found: Omit<Place, 'below'>): true {
    let place = this.#root;
    for (const key of path) {
      const next = place.below.get(key) ?? { below: new Map() };
      place.below.set(key, next);
      place = next;
    }
    Object.assign(place, found);
    this.#count += 1;
    return true;
  }

  #at(path: Path): Place | undefined {
    return path.reduce<Place | undefined>((place, key) => place?.below.get(key), this.#root);
  }

  #schemaAt(path: Path): StandardSchema | undefined {
    return path.reduce<StandardSchema | undefined>((schema, key) => schema && partOf(schema, key), this.#schema);
  }

  #roleAt(list: Path): Facts['list'] {
    return factsOf(this.#schemaAt(list)).list ?? (list.length === 0 ? 'main' : undefined);
  }
}

/** The schema of a field or of an entry. */
function partOf(schema: StandardSchema, key: PropertyKey): StandardSchema | undefined {
  const found = unwrapped(schema);
  if (found.kind === 'array') return found.of;
  if (found.kind === 'union') return found.of.map((each) => partOf(each, key)).find((each) => each !== undefined);
  return found.kind === 'object' && Object.hasOwn(found.shape, key) ? found.shape[String(key)] : undefined;
}

/** The index in a list of an entry of its rest. */
function indexOf(entry: number, list: Place | undefined): number {
  const aside = [...(list?.below ?? [])].filter(([, { pass }]) => pass !== undefined).map(([index]) => Number(index));
  return aside.toSorted((a, b) => a - b).reduce((index, each) => (each <= index ? index + 1 : index), entry);
}

/** How many entries of a list are left out. */
function lostOf(list: Place | undefined): number {
  return [...(list?.below.values() ?? [])].filter(({ pass, isKept }) => pass !== undefined && isKept === false).length;
}

function restOf(value: unknown, { below }: Place): unknown {
  if (below.size === 0) return value;
  if (Array.isArray(value)) {
    return (value as unknown[]).flatMap((entry, index) => {
      const place = below.get(index);
      if (!place) return [entry];
      return place.pass === undefined ? [restOf(entry, place)] : [];
    });
  }
  const rest: Record<PropertyKey, unknown> = { ...(value as object) };
  for (const [name, place] of below) {
    if (place.pass === undefined) rest[name] = restOf(rest[name], place);
    else if ('standIn' in place) rest[name] = place.standIn;
    else Reflect.deleteProperty(rest, name);
  }
  return rest;
}

function whole(parsed: unknown, value: unknown, { below }: Place): unknown {
  if (below.size === 0) return parsed;
  if (Array.isArray(value)) {
    const entries = (parsed as unknown[]).values();
    return (value as unknown[]).flatMap((entry, index) => {
      const place = below.get(index);
      if (place?.pass !== undefined) return place.isKept ? [entry] : [];
      const read: unknown = entries.next().value;
      return [place ? whole(read, entry, place) : read];
    });
  }
  const given = value as Record<PropertyKey, unknown>;
  const read = parsed as Record<PropertyKey, unknown>;
  for (const [name, place] of below) {
    if (place.pass === undefined) read[name] = whole(read[name], given[name], place);
    else if (name in given) read[name] = given[name];
    else Reflect.deleteProperty(read, name);
  }
  return parsed;
}

/** A value that fits a required field. */
function exampleOf(schema: StandardSchema): unknown {
  const found = unwrapped(schema);
  if (found.kind === 'enum') return found.values[0];
  if (found.kind === 'object') {
    const required = Object.entries(found.shape).filter(([, field]) => inspect(field).kind !== 'optional');
    return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(field)]));
  }
  const examples: { readonly [Kind in Inspected['kind']]?: unknown } = {
    string: '',
    boolean: false,
    array: [],
    record: {},
  };
  return examples[found.kind] ?? 0;
}
