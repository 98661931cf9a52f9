import { describe, expect, test } from 'vitest';
import { releaseComplaints } from '../../tools/release.mjs';

const ready = {
  version: '1.2.0',
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-21\n\n- A thing.\n\n## [1.1.0] - 2026-01-01\n\n- B.\n',
  changes: '',
};

describe('a release', () => {
  test('a release is ready when everything is committed and the changelog has its version', () => {
    expect(releaseComplaints(ready)).toEqual([]);
  });

  test.each([
    ['something is not committed', { changes: ' M src/index.ts\n' }, 'Not everything is committed'],
    ['the changelog does not know the version', { version: '1.3.0' }, 'no entry for 1.3.0'],
    ['its entry has no date', { changelog: '## [Unreleased]\n\n## [1.2.0]\n\n- A thing.\n' }, 'has no date'],
    [
      'its entry is empty',
      { changelog: '## [1.2.0] - 2026-11-21\n\n## [1.1.0] - 2026-01-01\n\n- B.\n' },
      'says nothing',
    ],
    ['changes are left over', { changelog: ready.changelog.replace('ed]\n', 'ed]\n\n- New.\n') }, 'under [Unreleased]'],
  ])('a release is not ready while %s', (_, change, complaint) => {
    expect(releaseComplaints({ ...ready, ...change }).join()).toContain(complaint);
  });
});
