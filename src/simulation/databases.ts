import type { DatabaseSync } from 'node:sqlite';
import { currentProcess } from './process.js';

type Databases = { DatabaseSync: typeof DatabaseSync };

/** `DatabaseSync` whose files are closed when the process that has opened them ends, so that open transactions are rolled back. */
export function trackedDatabase({ DatabaseSync: Original }: Databases): typeof DatabaseSync {
  return class extends Original {
    readonly #forget: (() => void) | undefined;

    constructor(...[path, options]: ConstructorParameters<typeof DatabaseSync>) {
      const process = currentProcess();
      if (process?.isAlive === false) throw new Error('The process was killed');
      // Node.js takes no `undefined` as options.
      super(...((options ? [path, options] : [path]) as [typeof path]));
      this.#forget = process?.onEnd(() => super.close());
    }

    override exec(sql: string): void {
      super.exec(withoutDisk(sql));
    }

    override close(): void {
      this.#forget?.();
      super.close();
    }
  };
}

/** A simulated process dies without the machine, so nothing has to wait for the disk. */
function withoutDisk(sql: string): string {
  return sql.replace(/(PRAGMA\s+synchronous\s*=\s*)\w+/gi, '$1OFF');
}
