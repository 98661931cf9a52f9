import { run } from '../../src/cli/program.ts';

/** A run of the program in this process. */
export interface Serving {
  /** What it has printed. */
  readonly printed: string[];
  readonly complaints: string[];
  /** Its exit code, once it has ended. */
  readonly code: Promise<number>;
  /** Its base URL, once it listens. */
  url(): Promise<string>;
  /** Sends it Ctrl+C. */
  end(): Promise<number>;
}

/** Runs the program of the command line; it goes on until it is ended. */
export function running(...args: string[]): Serving {
  const printed: string[] = [];
  const complaints: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const { promise: opened, resolve: open, reject: fail } = Promise.withResolvers<string>();
  opened.catch(() => undefined);
  const out = (text: string): void => {
    printed.push(text);
    const url = /Fake marketplace at (\S+)/.exec(text)?.[1];
    if (url !== undefined) open(url);
  };
  const code = run(args, { out, err: (text) => void complaints.push(text), ended: () => ended });
  void code.then(() => fail(new Error(`It ended: ${complaints.join('\n')}`)), fail);
  return {
    printed,
    complaints,
    code,
    url: () => opened,
    end: () => {
      end(undefined);
      return code;
    },
  };
}
