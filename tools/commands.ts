import { wrapped } from '../src/cli/command.js';
import { commands } from '../src/cli/program.js';
import type { Command } from '../src/cli/command.js';
import { document, generated, table } from './markdown.ts';

const about = `\`npx marketplace-seller-sdk COMMAND\`, with Node.js 22.12 or later. \`COMMAND --help\` prints the same.

The guides show how to use them: [test with the fake marketplace](../guide/testing.md#as-a-server),
[look into an inbox](../guide/notifications.md#look-into-an-inbox), [assistants and the terminal](../guide/tools.md).`;

/** Returns the page of the reference about the commands of the program. */
export function commandPage(): string {
  return document(['# Commands', generated, about, ...commands.flatMap(section)]);
}

function section({ name, argument, actions, summary, options }: Command): string[] {
  const words = ['npx marketplace-seller-sdk', name, argument, actions && `[${actions.join('|')}]`, '[options]'];
  const rows = Object.entries(options).map(([option, { value, text, repeatable, default: initial }]) => [
    `\`--${option}${value === undefined ? '' : ` ${value}`}\``,
    `${text}${repeatable ? '; repeatable' : ''}`,
    initial === undefined ? '' : `\`${initial}\``,
  ]);
  const usage = words.filter((word) => word !== undefined).join(' ');
  return [
    `## ${name}`,
    `\`\`\`sh\n${usage}\n\`\`\``,
    wrapped(summary.replaceAll('\n', ' '), 0),
    table(['Option', 'Meaning', 'Default'], rows),
  ];
}
