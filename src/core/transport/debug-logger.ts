import type { Logger } from '../options/hooks.js';

/** The part of `process` that is used. Browsers and some Workers do not have it. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stderr?: { write(text: string): unknown };
}

/** Returns a logger that prints to stderr if `MARKETPLACE_SELLER_DEBUG` is `1`; otherwise `undefined`. */
export function debugLogger(): Logger | undefined {
  const { process } = globalThis as { process?: Process };
  if (!isSwitchedOn(process)) return undefined;
  const { stderr } = process;
  const print =
    (level: string) =>
    (message: string, fields?: object): void => {
      stderr?.write(`marketplace-seller-sdk ${level}: ${message} ${JSON.stringify(fields)}\n`);
    };
  return { debug: print('debug'), info: print('info'), warn: print('warn'), error: print('error') };
}

function isSwitchedOn(process: Process | undefined): process is Process {
  try {
    return process?.env?.MARKETPLACE_SELLER_DEBUG === '1';
  } catch {
    // Deno needs a permission to read the environment.
    return false;
  }
}
