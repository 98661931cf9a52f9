import type { Command } from './command.js';
import type { Option } from './options.js';

const nameWidth = 25;
const lineWidth = 100;

/** Prints how commands are used: one paragraph and one table of options for each. */
export function helpOf(commands: readonly Command[]): string {
  return `${commands.map(describe).join('\n\n')}

  --version              print the version
  --help                 print this help

The files check.md, fake-server.md, inbox-command.md and tools.md in docs/guide of this package describe the
commands: results of a check, controls of the fake marketplace, actions on an inbox, operations in the terminal.`;
}

function describe({ name, argument, actions, summary, options }: Command): string {
  const words = ['npx marketplace-seller-sdk', name, argument, actions && `[${actions.join('|')}]`, '[options]'];
  const line = `Usage: ${words.filter((word) => word !== undefined).join(' ')}`;
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
