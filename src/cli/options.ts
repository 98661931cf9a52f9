import { parseArgs } from 'node:util';
import { nearest } from '../core/options/nearest.js';
import { UsageError } from './errors.js';

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
