import { currentProcess } from './process.js';
import type { SimulatedProcess } from './process.js';

type ErrorListener = (error: unknown, source: unknown) => void;

const kinds = ['unhandledRejection', 'uncaughtException'] as const;

/**
 * Tells of the errors of simulated processes that nobody handled. The listeners of the test runner hear only of others.
 *
 * @returns a function that ends this
 */
export function watchUnhandled(onCrash: (from: SimulatedProcess, error: unknown) => void): () => void {
  const undo = kinds.map((kind) => {
    const others = process.listeners(kind as 'uncaughtException') as ErrorListener[];
    const listener: ErrorListener = (error, source) => {
      const from = currentProcess();
      if (from) onCrash(from, error);
      else if (others.length > 0) for (const other of others) other.call(process, error, source);
      else throw error;
    };
    process.removeAllListeners(kind);
    process.on(kind, listener);
    return () => {
      process.off(kind, listener);
      for (const other of others) process.on(kind, other);
    };
  });
  return () => undo.forEach((each) => each());
}
