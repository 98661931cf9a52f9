import { defineConfig } from 'vitest/config';

// The documentation site, after `npm run docs` has built it: see the script `docs:check`.
export default defineConfig({
  test: { include: ['tests/browser/site.check.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
});
