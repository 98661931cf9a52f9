/**
 * Whether a value is a word of the service, for example a status or a code. Upper and lower case vary, and at run time
 * the value can have another type.
 */
export function isWord(value: unknown, word: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === word.toLowerCase();
}
