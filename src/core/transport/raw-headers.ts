import type { ResponseHeaders } from '../errors/response-headers.js';

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
