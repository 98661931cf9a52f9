const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** The deepest nesting of arrays and objects in a JSON text. */
export function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === backslash) at += 1;
      else if (code === quote) isString = false;
    } else if (code === quote) isString = true;
    else if (code === openBracket || code === openBrace) deepest = Math.max(deepest, ++depth);
    else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return deepest;
}
