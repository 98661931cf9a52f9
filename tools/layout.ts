import { format } from 'oxfmt';

/** The columns that a page of the site shows beside both of its sidebars. */
const printWidth = 76;

/** Breaks the lines of the TypeScript in a document, so that they fit a page of the site. */
export async function laidOut(markdown: string): Promise<string> {
  const parts = markdown.split(/^```ts\n([\s\S]*?)^```$/m);
  const written = await Promise.all(parts.map(async (part, index) => (index % 2 === 0 ? part : await block(part))));
  return written.join('');
}

async function block(code: string): Promise<string> {
  const lines = await formatted(code)
    .catch(() => declared(code))
    .catch(() => signatures(code));
  return `\`\`\`ts\n${lines.trim()}\n\`\`\``;
}

async function formatted(code: string): Promise<string> {
  const { code: lines, errors } = await format('block.mts', code, { printWidth, singleQuote: true });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return lines;
}

/** A constant without its value is a declaration. */
async function declared(code: string): Promise<string> {
  return (await formatted(`declare ${code}`)).replace(/^declare /, '');
}

/** Signatures alone are no program: they are laid out as the members of a class. */
async function signatures(code: string): Promise<string> {
  const [path = ''] = /^(new )?[\w.]+\.(?=\w)|^new (?=\w)/.exec(code) ?? [];
  const word = path.replace(/\W/g, '$');
  const members = await formatted(`class _ {\n${code.replaceAll(path, () => word)}\n}`);
  return members
    .split('\n')
    .slice(1, -2)
    .map((line) => line.replace(/^ {2}/, '').replace(/;$/, ''))
    .join('\n')
    .replaceAll(word, () => path);
}
