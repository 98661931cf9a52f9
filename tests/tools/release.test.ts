import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allowedChange, isLater, releaseComplaints, releasedChangelog } from '../../tools/release.ts';
import { repositoryFields } from '../../tools/repository.ts';

const root = join(import.meta.dirname, '../..');
const ready = {
  repository: 'https://git.example/shop/sdk#readme',
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
    ['nobody knows where the repository is', { repository: undefined }, 'git remote add origin'],
    ['changes are left over', { changelog: ready.changelog.replace('ed]\n', 'ed]\n\n- New.\n') }, 'under [Unreleased]'],
  ])('a release is not ready while %s', (_, change, complaint) => {
    expect(releaseComplaints({ ...ready, ...change }).join()).toContain(complaint);
  });
});

describe('the changelog of a release', () => {
  const heading = '## [1.3.0] - 2026-12-01\n';

  test('has what was unreleased under the version and the date, and nothing unreleased', () => {
    const unreleased = '# Changelog\n\n## [Unreleased]\n\n### Calls\n\n- A.\n\n## [1.2.0] - 2026-11-21\n\n- B.\n';
    const released = releasedChangelog(unreleased, '1.3.0', '2026-12-01');
    expect(released).toBe(unreleased.replace('Unreleased]\n', `Unreleased]\n\n${heading}`));
    expect(releaseComplaints({ ...ready, version: '1.3.0', changelog: released })).toEqual([]);
  });

  test('says which candidate became the version', () => {
    const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.3.0-rc.2] - 2026-11-30\n\n- A.\n';
    const released = releasedChangelog(changelog, '1.3.0', '2026-12-01');
    expect(released).toContain(`## [Unreleased]\n\n${heading}\n- Nothing changed since 1.3.0-rc.2.\n\n## [1.3.0-rc.2]`);
    expect(releaseComplaints({ ...ready, version: '1.3.0', changelog: released })).toEqual([]);
  });

  test('is rejected where nothing changed', () => {
    expect(() => releasedChangelog(ready.changelog, '1.3.0', '2026-12-01')).toThrow('nothing to release as 1.3.0');
    expect(() => releasedChangelog('# Changelog\n\n## [1.2.0]\n\n- A.\n', '1.3.0', '')).toThrow('[Unreleased]');
  });
});

describe('a version', () => {
  test('comes after the one before, and after its candidates', () => {
    const inOrder = [
      '0.2.0',
      '0.10.0',
      '1.0.0-rc.1',
      '1.0.0-rc.9',
      '1.0.0-rc.10',
      '1.0.0',
      '1.0.1-rc.1',
      '1.0.1',
      '2.0.0',
    ];
    for (const [index, version] of inOrder.entries())
      expect(inOrder.filter((other) => isLater(version, other))).toEqual(inOrder.slice(0, index));
  });

  test.each([
    ['1.2.0', '1.2.1', 'patch'],
    ['1.2.3', '1.3.0', 'added'],
    ['1.2.3', '1.3.0-rc.1', 'added'],
    ['1.2.3', '2.0.0-rc.1', 'breaking'],
    ['2.0.0-rc.1', '2.0.0-rc.2', 'breaking'],
    ['2.0.0-rc.2', '2.0.0', 'breaking'],
    ['2.0.0', '2.0.1', 'patch'],
    ['0.2.0', '0.3.0', 'breaking'],
    ['0.2.0', '0.2.1', 'patch'],
    ['0.2.0', '1.0.0-rc.1', 'breaking'],
  ])('after %s, %s may be %s', (before, version, change) => {
    expect(allowedChange(before, version)).toBe(change);
  });
});

describe('where the repository is', () => {
  const workflow = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'shop/sdk' };
  const fields = {
    repository: { type: 'git', url: 'git+https://git.example/shop/sdk.git' },
    homepage: 'https://git.example/shop/sdk#readme',
    bugs: { url: 'https://git.example/shop/sdk/issues' },
  };

  test.each([
    ['the workflow that runs', { env: workflow }],
    ['package.json', { repository: 'https://git.example/shop/sdk', env: { ...workflow, GITHUB_REPOSITORY: 'a/fork' } }],
    ['package.json, as npm writes it', { repository: { type: 'git', url: 'git+https://git.example/shop/sdk.git' } }],
    ['a remote', { origin: 'https://git.example/shop/sdk.git' }],
    ['a remote with a name in it', { origin: 'https://token@git.example/shop/sdk' }],
    ['a remote over SSH', { origin: 'git@git.example:shop/sdk.git' }],
    ['a remote over SSH with a port', { origin: 'ssh://git@git.example:2222/shop/sdk.git/' }],
  ])('is known from %s', (_, { repository, env = {}, origin }: Known) => {
    expect(repositoryFields(folderWith(repository, origin), env)).toEqual(fields);
  });

  test.each([undefined, '/srv/sdk', '../sdk'])('is not known from the remote %s', (origin) => {
    expect(repositoryFields(folderWith(undefined, origin), {})).toBeUndefined();
  });

  test('is in a tarball that is packed by hand, and package.json stays as it was', () => {
    const folder = folderWith(undefined, 'git@git.example:shop/sdk.git');
    mkdirSync(join(folder, 'tools'));
    cpSync(join(root, 'tools/repository.ts'), join(folder, 'tools/repository.ts'));
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const { prepack = '', postpack } = scripts;
    const manifest = { name: 'a', version: '1.0.0', scripts: { build: 'node --version', prepack, postpack } };
    const text = JSON.stringify(manifest);
    writeFileSync(join(folder, 'package.json'), text);
    const noWorkflow = { GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: '' };
    const env = { ...process.env, ...noWorkflow, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
    execFileSync('npm', ['pack', '--silent'], { cwd: folder, env, stdio: 'pipe' });
    const packed = execFileSync('tar', ['-xzOf', 'a-1.0.0.tgz', 'package/package.json'], { cwd: folder });
    expect(JSON.parse(packed.toString())).toEqual({ ...manifest, ...fields });
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(text);
  });

  interface Known {
    readonly repository?: string | object;
    readonly env?: Record<string, string>;
    readonly origin?: string;
  }

  function folderWith(repository: string | object | undefined, origin: string | undefined): string {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0', repository }));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    if (origin !== undefined) execFileSync('git', ['remote', 'add', 'origin', origin], { cwd: folder });
    return folder;
  }
});

describe('the release workflow', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');

  test('publishes a candidate as `next`, and says itself nothing of the repository', () => {
    expect(workflow).toMatch(
      /npm publish .* --tag \$\{\{ contains\(github\.ref_name, '-'\) && 'next' \|\| 'latest' \}\} /,
    );
    expect(workflow).not.toContain('npm pkg set');
  });

  test('checks with no seed of its own', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['release:check']).toContain('bash .ci/run');
    expect(scripts['release:check']).not.toMatch(/explore|SEED/);
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
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; hasInstallScript?: true; link?: true }>;
  };
  expect(packages['node_modules/node']).toMatchObject({ link: true });
  for (const system of ['linux-arm64', 'linux-x64', 'win-x64'])
    expect(packages[`node_modules/node-${system}`]?.integrity).toMatch(/^sha512-/);
  const withScripts = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  expect(withScripts.filter((path) => /node_modules\/node\b/.test(path))).toEqual([]);
});
