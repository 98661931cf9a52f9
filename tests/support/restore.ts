import { afterAll, vi } from 'vitest';

// Files of one worker share the globals, and vitest restores them only before the next test: by then, the next file has
// loaded its modules, which may have kept a stub such as that of `fetch`.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
