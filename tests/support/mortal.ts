import type { InnerStore as Store } from '../../src/work/store.js';

const never = new Promise<never>(() => undefined);

/** A store of a process that may stop: then it does nothing that another process could notice. */
export function mortal(store: Store) {
  const process = { isStopped: false };
  const mortalStore = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => (process.isStopped ? never : (value.apply(target, args) as unknown));
    },
  });
  return { process, mortalStore };
}
