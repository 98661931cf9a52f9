/** Response headers, read one by one; the platform's object is created only where a caller needs it. */
export interface ResponseHeaders {
  /** The value of a header by its name in lower case, or `null`; several values are joined with `, `. */
  get(name: string): string | null;
  /** The platform's object, the same each time. */
  toHeaders(): Headers;
}

/** The platform's headers as those of a response. */
export function responseHeaders(headers: Headers): ResponseHeaders {
  return { get: (name) => headers.get(name), toHeaders: () => headers };
}

/** The headers with each value changed; those that `change` makes `null` are left out. */
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
