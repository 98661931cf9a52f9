import { afterAll, vi } from 'vitest';
// Loaded on first use, which a test with fake timers would have to wait for.
import '../../src/core/transport/node-fetch.js';

// Vitest waits for a second, and has no setting for it: what is waited for takes longer on a busy machine.
const patient = { timeout: 240_000, interval: 10 };
const { waitFor, waitUntil } = vi;
if (!waitFor.name.startsWith('patient')) {
  const patientFor: typeof waitFor = (callback, options) => waitFor(callback, { ...patient, ...optionsOf(options) });
  const patientUntil: typeof waitUntil = (callback, options) =>
    waitUntil(callback, { ...patient, ...optionsOf(options) });
  Object.assign(vi, { waitFor: patientFor, waitUntil: patientUntil });
}

function optionsOf(options: Parameters<typeof waitFor>[1]): object {
  return typeof options === 'number' ? { timeout: options } : (options ?? {});
}

// Files of one worker share the globals, and vitest restores them only before the next test: by then, the next file has
// loaded its modules, which may have kept a stub such as that of `fetch`.
const environment = { ...process.env };
const clock = { Date, performance, queueMicrotask, setImmediate, setInterval, setTimeout };
afterAll(() => {
  // A snippet of a guide may set a variable, with which the programs of the next file would start.
  for (const name of Object.keys(process.env)) if (!(name in environment)) Reflect.deleteProperty(process.env, name);
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
  // Without them the next file waits for ever.
  const changed = Object.keys(clock).filter((name) => Reflect.get(globalThis, name) !== Reflect.get(clock, name));
  Object.assign(globalThis, clock);
  if (changed.length > 0) throw new Error(`The tests of this file left their own ${changed.join(', ')} behind`);
});
