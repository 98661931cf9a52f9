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

/** The headers without those of these names, which are in lower case. */
export function withoutHeaders(headers: ResponseHeaders, names: ReadonlySet<string>): ResponseHeaders {
  let remaining: Headers | undefined;
  const copy = (): Headers => {
    const copied = new Headers(headers.toHeaders());
    for (const name of names) copied.delete(name);
    return copied;
  };
  return { get: (name) => (names.has(name) ? null : headers.get(name)), toHeaders: () => (remaining ??= copy()) };
}
