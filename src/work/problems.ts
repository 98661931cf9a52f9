/** What the log says of a dead letter that made room. */
export function deadLetterDeleted(key: string, most: number): string {
  return `The dead letter ${key} was deleted: its seller has more than ${most}, and the oldest goes`;
}

/** What the log says of an entry that cannot be read. */
export function damagedFound(key: string): string {
  return `The entry ${key} is damaged and was set aside`;
}
