import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage once. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Collects it until a claim holds, five times at most: a collection that is under way keeps what was made meanwhile. */
export async function collectGarbageUntil(claim: () => boolean): Promise<void> {
  for (let round = 0; round < 5 && !claim(); round += 1) {
    await pause(10);
    collectGarbage();
  }
}
