/** The fields of a type, each of which may be omitted or `undefined`. */
export type Omittable<T> = { [Name in keyof T]?: T[Name] | undefined };
