/** Control characters, line separators, and characters that change the direction of text. */
const unprintable = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text of someone else for a message: it must not move a terminal's cursor, start a line of a log or reverse what follows. */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}
