/** Keeps the named fields of an object, or of each entry of a bare list. Spec: Common conventions 3. */
export function pickAttributes(body: unknown, attributes: string | null): unknown {
  if (attributes === null || attributes === '') return body;
  const names = new Set(attributes.split(','));
  // The newer multi-get has attributes of its own: paths such as `body.status`.
  if (/(?:^|,)body\./.test(attributes)) return body;
  const pick = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if ('status_code' in value) return value;
    // A multi-get entry keeps its code; only the body of a found entry is reduced.
    if ('code' in value && 'body' in value) return value.code === 200 ? { ...value, body: pick(value.body) } : value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  };
  return Array.isArray(body) ? body.map(pick) : pick(body);
}

/** The position of a page in its list. */
export interface PageParams {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list, with its paging object. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly paging: PageParams & { readonly total: number };
}

/** Cuts a page out of a list. Spec: Common conventions 4. */
export function pageOf<T>(all: readonly T[], { limit, offset }: PageParams): PageOf<T> {
  return { items: all.slice(offset, offset + limit), paging: { total: all.length, offset, limit } };
}
