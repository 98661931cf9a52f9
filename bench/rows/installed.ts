import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';

function weigh(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Installs a package alone and weighs the folder. */
function installed(spec: string): { mib: number; packages: number } {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const quiet = ['--no-audit', '--no-fund', '--omit=dev', '--omit=peer', '--loglevel=error'];
    execFileSync('npm', ['install', ...quiet, spec], { cwd: folder, stdio: 'pipe' });
    const modules = join(folder, 'node_modules');
    const names = readdirSync(modules).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)) : [name],
    );
    return { mib: weigh(modules) / 2 ** 20, packages: names.filter((name) => !name.startsWith('.')).length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many packages an installation has, this one included, by the lockfile. */
export function lockedPackages(): number {
  const { packages } = JSON.parse(readFileSync(here('../package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true; peer?: true; devOptional?: true; link?: true }>;
  };
  const isInstalled = ([path, { dev, optional, peer, devOptional, link }]: (typeof entries)[number]): boolean =>
    (path === '' || path.startsWith('node_modules/')) && !(dev ?? optional ?? peer ?? devOptional ?? link);
  const entries = Object.entries(packages);
  return entries.filter(isInstalled).length;
}

/** What an installation takes on disk, with dependencies. */
export function installedSize(): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
  const packed = execFileSync('npm', ['pack', ...options], { cwd: here('..'), encoding: 'utf8' });
  const specs = {
    'marketplace-seller-sdk': join(folder, packed.trim()),
    Notion: '@notionhq/client',
    Octokit: '@octokit/rest',
    Stripe: 'stripe',
    OpenAI: 'openai',
  };
  const sizes = Object.entries(specs).map(([who, spec]) => ({ who, ...installed(spec) }));
  rmSync(folder, { recursive: true });
  const figures = (of: 'mib' | 'packages'): Figure[] => sizes.map((each) => ({ who: each.who, value: each[of] }));
  return [
    {
      title: 'installed, with dependencies',
      unit: 'MiB',
      figures: figures('mib'),
      goal: 'below OpenAI',
      limits: [{ who: 'marketplace-seller-sdk', below: ['OpenAI'] }],
    },
    { title: 'packages installed', unit: '', figures: figures('packages'), goal: 'stated' },
  ];
}
