/** Space, control characters, line separators, and characters that change the direction of text. */
const unprintable = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Puts a text on one line, with single spaces, without characters that could move the cursor of a terminal or reverse the
 * text direction.
 */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}
