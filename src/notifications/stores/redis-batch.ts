import { TurnBatch } from '../turns.js';

interface Call {
  readonly args: readonly (string | number)[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The most arguments in one command: a list of any length would exceed the stack. */
export const maxArguments = 1_000;

/** A script that does one thing for each of many lists of arguments: the calls of one turn of the event loop share commands. */
export class BatchedScript {
  readonly #run: (args: readonly (string | number)[]) => Promise<unknown>;
  readonly #calls = new TurnBatch<Call>((calls) => {
    for (const command of commandsOf(calls)) void this.#send(command);
  });

  /** @param run Runs the script, and resolves to a list with the reply to each call. */
  constructor(run: (args: readonly (string | number)[]) => Promise<unknown>) {
    this.#run = run;
  }

  call(...args: (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => this.#calls.add({ args, resolve, reject }));
  }

  async #send(calls: readonly Call[]): Promise<void> {
    try {
      const replies = (await this.#run(calls.flatMap(({ args }) => args))) as readonly unknown[];
      for (const [index, { resolve }] of calls.entries()) resolve(replies[index]);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }
}

function commandsOf(calls: readonly Call[]): readonly (readonly Call[])[] {
  const commands: Call[][] = [];
  let length = Infinity;
  for (const call of calls) {
    length += call.args.length;
    if (length > maxArguments) {
      commands.push([]);
      length = call.args.length;
    }
    commands.at(-1)?.push(call);
  }
  return commands;
}
