import { run } from '../../src/cli/program.ts';

/** A run of the program in this process. */
export interface Serving {
  /** The lines on stdout. */
  readonly printed: string[];
  readonly errors: string[];
  /** Resolves with the exit code. */
  readonly code: Promise<number>;
  /** Resolves with the base URL. */
  url(): Promise<string>;
  /** Stops it, as Ctrl+C does. */
  end(): Promise<number>;
}

/** Runs the program until `end()`. */
export function running(...args: string[]): Serving {
  const printed: string[] = [];
  const errors: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: opened, resolve: open, reject: fail } = Promise.withResolvers<string>();
  opened.catch(() => undefined);
  const out = (text: string): void => {
    printed.push(text);
    const url = /Fake marketplace at (\S+)/.exec(text)?.[1];
    if (url !== undefined) open(url);
  };
  const code = run(args, { out, err: (text) => void errors.push(text), ended: () => ended });
  void code.then(() => fail(new Error(`It ended: ${errors.join('\n')}`)), fail);
  return {
    printed,
    errors,
    code,
    url: () => opened,
    end: () => {
      end(undefined);
      return code;
    },
  };
}
