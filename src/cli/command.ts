import type { Options, Values } from './options.js';

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
