/** Gives everything a name that holds no id and stays the same when something else is left out. */
export class Names {
  readonly #byId = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #expected: string | undefined;

  /** Runs what creates a thing; an unknown id that is asked for meanwhile is that of the thing. */
  creating<T>(name: string, create: () => T, idsOf: (created: T) => readonly (number | string)[]): T {
    this.#expected = name;
    const created = create();
    this.#expected = undefined;
    for (const id of idsOf(created)) this.give(id, name);
    return created;
  }

  give(id: number | string, name: string): void {
    this.#byId.set(String(id), name);
  }

  /** The name of a question, sale or message by its id or path. */
  of(idOrPath: number | string): string {
    const id = String(idOrPath).replace(/^.*\//, '');
    if (!this.#byId.has(id) && this.#expected !== undefined) this.give(id, this.#expected);
    return this.#byId.get(id) ?? '?';
  }

  /** A text with names in place of the ids in it. */
  named(text: string): string {
    return text.replace(/\w{7,}/g, (token) => this.#byId.get(token) ?? token);
  }

  /** A name that was used before gets a number. */
  numbered(name: string): string {
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    return `${name}#${number}`;
  }

  /** The name of a call, such as `POST /answers q3#2`. */
  ofCall({ method, path, query, body, seller }: CallParts): string {
    const known = (text: string): string[] => (text.match(/\w{7,}/g) ?? []).filter((token) => this.#byId.has(token));
    const about = new Set(known(`${path} ${query} ${body}`).map((id) => this.#byId.get(id)));
    const fixed = path.split('/').filter((part) => !this.#byId.has(part) && !/\d/.test(part));
    const subject = about.size > 0 ? [...about].join(' ') : seller;
    return this.numbered(`${method} ${fixed.join('/') || '/'}${subject === '' ? '' : ` ${subject}`}`);
  }

  /** The name of a call that does not go to the marketplace: what its text is about, as in `Is it in stock? (q3)`. */
  ofOutside(call: string, text: string): string {
    const named = [...text.matchAll(/\(([qxm]\d[\d.]*b?)\)/g)].map(([, name]) => name);
    return this.numbered([call, ...new Set(named)].join(' '));
  }
}

/** What the name of a call is made of. */
interface CallParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** The name of the seller whose token it has, or nothing. */
  readonly seller: string;
}
