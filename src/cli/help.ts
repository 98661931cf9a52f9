import type { Command } from './command.js';
import type { Option } from './options.js';

const nameWidth = 25;
const lineWidth = 100;

/** Prints how commands are used: one paragraph and one table of options for each. */
export function helpOf(commands: readonly Command[]): string {
  return `${commands.map(describe).join('\n\n')}

  --version              print the version
  --help                 print this help

The files docs/guide/check.md and docs/guide/fake-server.md of this package describe the commands: the
results of a check, and the dashboard, seed files, faults and control endpoints of the fake marketplace.`;
}

function describe({ name, argument, summary, options }: Command): string {
  const line = `Usage: npx marketplace-seller-sdk ${name}${argument === undefined ? '' : ` ${argument}`} [options]`;
  const rows = Object.entries(options).map(([option, details]) => row(option, details));
  return [line, '', summary, '', ...rows].join('\n');
}

function row(name: string, { value, text, repeatable, default: initial }: Option): string {
  const left = `  --${name}${value === undefined ? '' : ` ${value}`}`.padEnd(nameWidth - 1);
  const more = [repeatable ? '; repeatable' : '', initial === undefined ? '' : ` (default: ${initial})`].join('');
  return `${left} ${wrap(text + more).join(`\n${' '.repeat(nameWidth)}`)}`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > lineWidth - nameWidth) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
