import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('the release workflow', () => {
  const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/release.yml'), 'utf8');

  test('names the repository that it builds from in the packed manifest', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "a", "version": "1.0.0" }');
    const [, script = ''] = /names the repository[^\n]*\n {8}run: \|\n((?: {10}.*\n)+)/.exec(workflow) ?? [];
    execFileSync('bash', ['-e', '-c', script], {
      cwd: folder,
      env: { ...process.env, GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'shop/sdk' },
    });
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://git.example/shop/sdk.git' },
      homepage: 'https://git.example/shop/sdk#readme',
      bugs: { url: 'https://git.example/shop/sdk/issues' },
    });
    rmSync(folder, { recursive: true });
  });

  test('may publish only in the job that runs no code of a package', () => {
    const jobs = workflow.split(/^(?= {2}\w+:\n {4}(?:needs|runs-on))/m).slice(1);
    const publishing = jobs.filter((job) => job.includes('id-token'));
    expect(publishing).toHaveLength(1);
    const commands = [...publishing.join('').matchAll(/- run: (.*)/g)].map(([, command]) => command);
    expect(commands).toEqual([expect.stringMatching(/^npm publish .* --ignore-scripts$/)]);
    expect(publishing.join('')).not.toContain('checkout');
  });

  test('uses each action by the hash of a commit', () => {
    const uses = [...workflow.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/);
  });
});

test('the lockfile pins the binary of the development dependency node, and no package downloads it when it is installed', () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; hasInstallScript?: true; link?: true }>;
  };
  expect(packages['node_modules/node']).toMatchObject({ link: true });
  for (const system of ['linux-arm64', 'linux-x64', 'win-x64'])
    expect(packages[`node_modules/node-${system}`]?.integrity).toMatch(/^sha512-/);
  const withScripts = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  expect(withScripts.filter((path) => /node_modules\/node\b/.test(path))).toEqual([]);
});
