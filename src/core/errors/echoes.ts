/** This many characters in a row of a user's text are an echo; fewer may be a coincidence. */
const echoLength = 12;
const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Masks the parts of a text that repeat a user's text: in any case, escaped for HTML, or only a part of it. */
export function maskEchoes(text: string, userText: string, mask: string): string {
  const length = Math.min(echoLength, userText.length);
  const own = foldCase(userText);
  const runs = new Set(Array.from({ length: own.length - length + 1 }, (_, at) => own.slice(at, at + length)));
  const { folded, starts } = decode(text);
  const parts: string[] = [];
  let shownFrom = 0;
  for (let at = 0; at + length <= folded.length; at += 1) {
    if (!runs.has(folded.slice(at, at + length))) continue;
    let end = at + length;
    while (end < folded.length && runs.has(folded.slice(end - length + 1, end + 1))) end += 1;
    parts.push(text.slice(shownFrom, starts[at]), mask);
    shownFrom = starts[end] ?? text.length;
    at = end - 1;
  }
  return parts.join('') + text.slice(shownFrom);
}

/** Decodes the entities of HTML, and folds the case; `starts` has the place of each character in the text. */
function decode(text: string): { folded: string; starts: number[] } {
  const starts: number[] = [];
  let plain = '';
  let from = 0;
  const add = (part: string, startOf: (index: number) => number): void => {
    for (let index = 0; index < part.length; index += 1) starts.push(startOf(index));
    plain += part;
  };
  for (const found of text.matchAll(entity)) {
    const start = from;
    add(text.slice(from, found.index), (index) => start + index);
    add(characterOf(found), () => found.index);
    from = found.index + found[0].length;
  }
  add(text.slice(from), (index) => from + index);
  return { folded: foldCase(plain), starts };
}

function characterOf([all, decimal, hex, name]: RegExpMatchArray): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? all;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}

/** Lower case, without a change of the length. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/[^\0-\x7f]/g, (each) => (each.toLowerCase().length === each.length ? each.toLowerCase() : each));
}
