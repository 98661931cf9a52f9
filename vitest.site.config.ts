import { defineConfig } from 'vitest/config';

// The documentation site, after `npm run docs` has built it: see the script `docs:check`. The limits of time only end a
// browser that hangs.
export default defineConfig({
  test: {
    include: ['tests/browser/site.check.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
