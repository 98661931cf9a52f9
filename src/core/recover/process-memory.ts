import { platform } from '#platform';

/**
 * Returns how to get something that a process has once, beside all of its objects. It is made on first use. What a module keeps in this
 * way ends with its process, also in a simulation, whose processes share the modules.
 */
export function ofProcess<T>(make: () => T): () => T {
  return () => {
    const memory = platform.memory();
    if (!memory.has(make)) memory.set(make, make());
    return memory.get(make) as T;
  };
}
