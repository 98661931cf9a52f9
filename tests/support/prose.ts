/** A piece of a Markdown document that is read by itself. */
export interface Block {
  readonly kind: 'heading' | 'text' | 'cell';
  /** Without markup. A code span is one word, written as `` `x` ``. */
  readonly text: string;
}

/** The prose of a Markdown document: its headings, paragraphs, items of lists and cells of tables. Code is left out. */
export function proseOf(markdown: string): Block[] {
  const blocks: { kind: Block['kind']; text: string }[] = [];
  let isOpen = false;
  for (const line of linesOf(markdown)) {
    const [, heading] = /^#{1,6} (.+)$/.exec(line) ?? [];
    const [, item] = /^(?:> ?)?\s*(?:[-*+]|\d+[.)])\s+(.+)$/.exec(line) ?? [];
    if (heading !== undefined) blocks.push({ kind: 'heading', text: heading });
    else if (/^\s*\|/.test(line)) blocks.push(...cellsOf(line).map((text) => ({ kind: 'cell' as const, text })));
    else if (item !== undefined) blocks.push({ kind: 'text', text: item });
    else if (isOpen && line.trim() !== '') blocks.at(-1)!.text += ` ${line.trim()}`;
    else if (line.trim() !== '') blocks.push({ kind: 'text', text: line.trim() });
    isOpen = line.trim() !== '' && heading === undefined && !/^\s*\|/.test(line);
  }
  return blocks.map(({ kind, text }) => ({ kind, text: plain(text) })).filter(({ text }) => wordsOf(text).length > 0);
}

/** The sentences of a block. One ends with a mark before a space and something that can begin a sentence. */
export function sentencesOf({ text }: Block): string[] {
  return text.split(/(?<=[.!?][)"'»”]*)\s+(?=["'«“(]*[\p{Lu}\d`])/u);
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word));
}

/** The lines that are no code, no front matter and no HTML. */
function linesOf(markdown: string): string[] {
  let fence: string | undefined;
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .filter((line) => {
      const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
      if (mark === undefined) return fence === undefined;
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      return false;
    })
    .map((line) => line.replace(/<\/?[a-z][^>]*>/g, ''));
}

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replaceAll('\\|', '/')
    .replace(/^\||\|$/g, '')
    .split('|');
  // A list within a cell.
  return cells.flatMap((cell) => cell.split(/(?<=[:;]) - /)).map((cell) => cell.trim());
}

function plain(text: string): string {
  return text
    .replace(/(`+)(?:(?!\1).)+?\1/g, '`x`')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|(?<![\w*])[*_]|[*_](?![\w*])/g, '');
}
