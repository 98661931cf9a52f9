// How the documentation site is made from the documents: pure functions that docs/.vitepress/config.ts calls.
import { posix } from 'node:path';

/** An entry of a sidebar: a page, a group of them, or both. */
export interface Entry {
  text: string;
  link?: string;
  items?: Entry[];
  collapsed?: boolean;
}

const DOCUMENTS = /^(docs\/.+|examples\/README|bench\/(?:results|faults)|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/;
const PROGRAM = /^examples\/.+\.ts$/;
const DATA = ['docs/openapi.json', 'llms.txt'];

/** Returns the page of the site that a file of the project becomes, or `undefined` if the site does not include it. */
export function pageOf(file: string): string | undefined {
  if (PROGRAM.test(file)) return file.replace(/\.ts$/, '.md');
  if (!DOCUMENTS.test(file)) return undefined;
  // The repository's list of documents is the site's second page: its first one is docs/index.md.
  if (file === 'docs/README.md') return 'contents.md';
  const page = file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
  return /^[A-Z]+\.md$/.test(page) ? page.toLowerCase() : page;
}

/** Returns where a link of a document leads on the site, or `undefined` if the site does not include the file. */
export function addressOf(link: string, from: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', ...heading] = link.split(/(?=#)/);
  const file = posix.join(posix.dirname(from), path);
  if (DATA.includes(file)) return `/${file}`;
  if (file === 'README.md') return '/';
  const page = pageOf(file);
  return page === undefined ? undefined : `/${page.replace(/(^|\/)index\.md$/, '$1')}${heading.join('')}`;
}

/** Reads a sidebar from a document that lists others: headings are groups; list items and table rows are entries. */
export function sidebarOf(markdown: string, from: string): Entry[] {
  const root: Entry = { text: '', items: [] };
  let path: { depth: number; entry: Entry }[] = [];
  for (const line of markdown.replace(/^```[\s\S]*?^```/gm, '').split('\n')) {
    const found = entryIn(line, from);
    if (found === undefined) continue;
    path = path.filter(({ depth }) => depth < found.depth);
    const parent = path.at(-1)?.entry ?? root;
    (parent.items ??= []).push(found.entry);
    path.push(found);
  }
  return root.items ?? [];
}

/** A heading has the depth of its level. A list item is below every heading, and a nested item below its parent. */
function entryIn(line: string, from: string): { depth: number; entry: Entry } | undefined {
  const [, hashes, title = ''] = /^(##+) (.+)$/.exec(line) ?? [];
  if (hashes) return { depth: hashes.length, entry: linked(title, from) ?? { text: title } };
  const [, indent = '', item] = /^( *)(?:- |\| (?=\[))(.+)$/.exec(line) ?? [];
  const entry = item === undefined ? undefined : linked(item, from);
  return entry && { depth: 10 + indent.length, entry };
}

function linked(text: string, from: string): Entry | undefined {
  const [, name = '', target] = /^\[([^\]]+)\]\(([^)\s]+)\)/.exec(text) ?? [];
  const link = target === undefined ? undefined : addressOf(target, from);
  // Every method belongs to `seller`. Repeating that in each entry would waste space.
  return link === undefined ? undefined : { text: name.replace(/^`seller\./, '').replaceAll('`', ''), link };
}

/** Collapses entries that are deeper than `depth`. The sidebar opens at the current page. */
export function folded(entries: readonly Entry[], depth: number): Entry[] {
  return entries.map((entry) => {
    if (entry.items === undefined) return entry;
    return { ...entry, ...(depth < 1 && { collapsed: true }), items: folded(entry.items, depth - 1) };
  });
}

/** Returns the page of a program: its opening comment, the commands that start it, and its code. */
export function programPage(file: string, code: string): string {
  const [opening = ''] = /^(\/\*\*[\s\S]*?\*\/|(\/\/.*\n)+)/.exec(code) ?? [];
  const lines = opening.split('\n').map((line) => line.replace(/^\s*(\/\*\*|\*\/|\*|\/\/) ?/, '').trim());
  const isCommand = (line: string): boolean => /^([A-Z_]+=\S+ )*(node|npm) /.test(line);
  const prose = lines.filter((line) => line !== '' && !isCommand(line)).join('\n');
  const commands = lines.filter(isCommand).map((line) => line.replace(/ {2,}(.+)$/, ' # $1'));
  const start = commands.length === 0 ? '' : ['```sh', ...commands, '```'].join('\n');
  const program = ['```ts', code.slice(opening.length).trim(), '```'].join('\n');
  return `${['---\naside: false\n---', `# ${file}`, prose, start, program].filter((part) => part !== '').join('\n\n')}\n`;
}
