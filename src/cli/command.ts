import { parseArgs } from 'node:util';
import { nearest } from '../core/options/rules.js';

/** The process that the program runs in. */
export interface ProcessIO {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the program must stop. From this call on, Ctrl+C does not kill it: call it before it says that it is ready. */
  readonly ended: () => Promise<void>;
}

/** A command of the program, as one entry of its table. */
export interface Command {
  /** The words that select it, e.g. `fake`, or `call questions.get`. */
  readonly name: string;
  /** What the command does, in one or two lines of the help. */
  readonly summary: string;
  /** The name of its argument in the help, e.g. `FILE`; `undefined` if it takes none. */
  readonly argument?: string;
  /** The words that may follow the argument; the first is the default. */
  readonly actions?: readonly string[];
  readonly options: Options;
  /** Runs it. @returns the exit code. @throws {UsageError} 2, @throws {CliError} 1 */
  run(values: Values, io: ProcessIO): Promise<number>;
}

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help, e.g. `NUMBER`; without it, the option is a flag. */
  readonly value?: string;
  readonly text: string;
  readonly default?: string;
  readonly repeatable?: true;
}

/** The options of a command, by name. */
export type Options = Readonly<Record<string, Option>>;

/** The values of a command line. */
export class Values {
  readonly #values: Readonly<Record<string, unknown>>;
  /** The argument of the command; empty if it takes none. */
  readonly argument: string;
  /** The word behind the argument, or its default; empty if the command has no actions. */
  readonly action: string;

  constructor(values: Readonly<Record<string, unknown>>, argument: string, action = '') {
    this.#values = values;
    this.argument = argument;
    this.action = action;
  }

  /** Returns the value of an option, or its default. */
  text(name: string): string | undefined {
    return this.#values[name] as string | undefined;
  }

  /** Returns the values of a repeatable option. */
  all(name: string): readonly string[] {
    return (this.#values[name] ?? []) as readonly string[];
  }

  /** Whether a flag is given. */
  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Returns a whole number. @throws {UsageError} when it is none from `least` to `most` */
  number(name: string, least: number, most: number): number {
    const text = this.text(name) ?? '';
    const value = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new UsageError(`--${name} must be a number from ${least} to ${most}, not "${text}"`);
  }
}

/** Reads the options and the arguments behind the name of a command. @throws {UsageError} */
export function readOptions(
  args: readonly string[],
  options: Options,
): { readonly values: Readonly<Record<string, unknown>>; readonly rest: readonly string[] } {
  assertKnown(args, options);
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: toConfig(options) });
    return { values, rest: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function toConfig(options: Options) {
  const entries = Object.entries(options).map(([name, { value, repeatable = false, default: initial }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: repeatable, ...(initial !== undefined && { default: initial }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** @throws {UsageError} that names an unknown option and the most similar one */
function assertKnown(args: readonly string[], options: Options): void {
  const names = Object.keys(options);
  const given = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  const unknown = given
    .map((arg) => /^--([^=]+)/.exec(arg)?.[1])
    .find((name) => name !== undefined && !names.includes(name));
  if (unknown === undefined) return;
  const near = similar(unknown, names, options);
  throw new UsageError(`Unknown option '--${unknown}'${near === undefined ? '' : `; did you mean --${near}?`}`);
}

/** Of `--filters.status`, the option that takes names; of `--to`, the first field of that object. */
function similar(unknown: string, names: readonly string[], options: Options): string | undefined {
  const [outer = '', inner] = unknown.split('.');
  if (inner !== undefined && options[outer]?.value === 'NAME=VALUE') return `${outer} ${inner}=VALUE`;
  return names.find((name) => name.startsWith(`${unknown}.`)) ?? nearest(unknown, names);
}

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

/** The command line is invalid. */
export class UsageError extends Error {}

/** The command cannot be carried out. */
export class CliError extends Error {}
