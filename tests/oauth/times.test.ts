import { expect, test } from 'vitest';
import { times } from '../../src/oauth/tokens.js';

// The times of a refresh depend on each other: a change of one must not make two refreshes overlap, or hide why one failed.

test.each<[string, number, number]>([
  ['a retry begins before its refresh ends', times.longestRetryAfterMs, times.refreshMs],
  ['a refresh in the background ends before its token', times.refreshMs, times.refreshBeforeMs],
  ['a request ends before those who close give up', times.requestMs, times.closeMs],
  ['who holds a lock is said before a refresh ends', times.lockWaitMs, times.refreshMs],
  ['that a grant is revoked is said before a refresh ends', times.othersMs, times.refreshMs],
  ['the last request of a refresh ends under its lock', times.refreshMs + times.requestMs, times.lockMs + 1],
  ['a store that restarts is saved to before those who close give up', 2 * times.longestSavePauseMs, times.closeMs],
])('%s', (_, shorter, longer) => {
  expect(shorter).toBeLessThan(longer);
});
