import { refine } from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import { boundedText } from '../fields.js';

/** The maximum length of a seller's message, in characters. */
export const messageTextLimit = 350;

/** Created on first use, because they load Unicode tables, which takes a quarter of a millisecond each. */
let emoji: RegExp | undefined;
let visible: RegExp | undefined;
/** ISO-8859-1, without control characters except tab, line feed and carriage return. */
const latin = /[\t\n\r\u0020-\u007e\u00a0-\u00ff]/gu;

/**
 * Returns the characters that a message cannot contain, each once: neither ISO-8859-1 nor part of an emoji.
 *
 * @example
 * unsupportedCharacters('Size 42 → 43'); // ['→']
 */
export function unsupportedCharacters(text: string): string[] {
  emoji ??= emojiPattern();
  return [...new Set(text.replace(emoji, '').replace(latin, ''))];
}

/**
 * Matches every possible emoji sequence (Unicode Technical Standard 51), because the service does not publish its list.
 */
function emojiPattern(): RegExp {
  const mark = String.raw`(?:\p{Emoji_Modifier}|\uFE0F?\u20E3|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?`;
  const sign = String.raw`(?:\p{RI}\p{RI}|\p{Emoji}${mark})`;
  return new RegExp(String.raw`${sign}(?:\u200D${sign})*`, 'gu');
}

/** The text of a seller's message: 1 to 350 characters, ISO-8859-1 or emoji. */
export const messageText: Schema<string> = refine(boundedText('text', messageTextLimit, 'a message'), (text) => {
  const found = unsupportedCharacters(text);
  if (found.length === 0) return undefined;
  const named = found.slice(0, 5).map(nameOf);
  const more = found.length > named.length ? ` and ${found.length - named.length} more` : '';
  // A letter and its accent as two characters, as some systems write them.
  const helps = unsupportedCharacters(text.normalize()).length < found.length;
  const remedy = helps ? "; normalise it: text.normalize('NFC')" : '';
  return `\`text\` contains ${named.join(', ')}${more}; a message takes the characters of ISO-8859-1 and emoji${remedy}`;
});

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  visible ??= new RegExp(String.raw`[\p{L}\p{N}\p{P}\p{S}]`, 'u');
  return visible.test(character) ? `"${character}" (U+${code})` : `U+${code}`;
}
