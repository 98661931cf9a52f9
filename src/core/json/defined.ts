type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Drops `undefined` fields, which would replace default values. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
