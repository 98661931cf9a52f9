/** Response headers. The platform's object is created only if a caller needs it. */
export interface ResponseHeaders {
  /** Returns the value of a header by its name in lower case, or `null`. Several values are joined with `, `. */
  get(name: string): string | null;
  /** Returns the platform's object, which is the same each time. */
  toHeaders(): Headers;
}

/** Returns the platform's headers as `ResponseHeaders`. */
export function responseHeaders(headers: Headers): ResponseHeaders {
  return { get: (name) => headers.get(name), toHeaders: () => headers };
}

/** Returns the headers with each value changed. A header is omitted if `change` returns `null`. */
export function changedHeaders(
  headers: ResponseHeaders,
  change: (name: string, value: string) => string | null,
): ResponseHeaders {
  let changed: Headers | undefined;
  const copy = (): Headers => {
    const copied = new Headers();
    for (const [name, value] of headers.toHeaders()) {
      const shown = change(name, value);
      if (shown !== null) copied.append(name, shown);
    }
    return copied;
  };
  return {
    get: (name) => {
      const value = headers.get(name);
      return value === null ? null : change(name, value);
    },
    toHeaders: () => (changed ??= copy()),
  };
}

/** The headers of a message of `node:http`, from its list of alternating names and values. */
export class RawHeaders implements ResponseHeaders {
  readonly #raw: readonly string[];
  #headers: Headers | undefined;

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    let found: string | null = null;
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const candidate = this.#raw[at] ?? '';
      if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
      const value = this.#raw[at + 1] ?? '';
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  toHeaders(): Headers {
    return (this.#headers ??= this.#create());
  }

  #create(): Headers {
    const headers = new Headers();
    for (let at = 0; at + 1 < this.#raw.length; at += 2) headers.append(this.#raw[at] ?? '', this.#raw[at + 1] ?? '');
    return headers;
  }
}
