import type { Command } from './command.js';
import type { Option } from './options.js';

const nameWidth = 25;
const lineWidth = 80;

/** Prints the commands, each with the first clause of its summary. It fits a terminal of 80 by 24. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
  const rows = commands.map(({ name, summary }) => `  ${name}`.padEnd(width) + wrapped(clauseOf(summary), width));
  return `Usage: npx marketplace-seller-sdk COMMAND [options]

${rows.join('\n')}

  COMMAND --help   print how a command is used
  --version        print the version

The file docs/reference/commands.md of this package describes them all.`;
}

/** Prints how a command is used, with a table of its options. */
export function helpOf({ name, argument, actions, summary, options }: Command): string {
  const words = ['npx marketplace-seller-sdk', name, argument, actions && `[${actions.join(' | ')}]`, '[options]'];
  const line = `Usage: ${wrapped(words.filter((word) => word !== undefined).join(' '), 7)}`;
  const rows = Object.entries(options).map(([option, details]) => row(option, details));
  const [first = '', ...others] = summary.split('\n\n');
  return [line, '', wrapped(first.replaceAll('\n', ' '), 0), ...others.flatMap((each) => ['', each]), '', ...rows].join(
    '\n',
  );
}

function clauseOf(summary: string): string {
  return /^.*?(?=[.:]\s|$)/.exec(summary.replaceAll('\n', ' '))?.[0] ?? '';
}

function row(name: string, { value, text, repeatable, default: initial }: Option): string {
  const left = `  --${name}${value === undefined ? '' : ` ${value}`}`.padEnd(nameWidth - 1);
  const more = [repeatable ? '; repeatable' : '', initial === undefined ? '' : ` (default: ${initial})`].join('');
  return `${left} ${wrapped(text + more, nameWidth)}`;
}

/** Breaks a text into lines, all but the first of which are indented. */
export function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > lineWidth) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
