import { afterAll, vi } from 'vitest';
// Loaded on first use, which a test with fake timers would have to wait for.
import '../../src/core/transport/fetch.js';

// Files of one worker share the globals, and vitest restores them only before the next test: by then, the next file has
// loaded its modules, which may have kept a stub such as that of `fetch`.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
