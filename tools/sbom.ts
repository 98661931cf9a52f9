import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
}
interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Locked>>;
}

/**
 * Runs npm in a project that has only what users get: the dependencies, and as dependencies also the packages whose code is in
 * the built files, which npm takes for tools of development here. It has a manifest and a lockfile, and nothing is installed.
 */
export function withProjectOfUsers<T>(root: string, bundled: readonly string[], work: (folder: string) => T): T {
  const { name, version, license, dependencies } = read(root, 'package.json') as Manifest;
  const { lockfileVersion, packages } = read(root, 'package-lock.json') as Lockfile;
  const needed = bundled.filter((each) => !(each in dependencies));
  const locked = Object.fromEntries(needed.map((each) => [`node_modules/${each}`, lockedAs(each, packages)]));
  const versions = Object.fromEntries(needed.map((each) => [each, lockedAs(each, packages).version]));
  const own = { name, version, license, dependencies: { ...dependencies, ...versions } };
  // A folder of this repository that is linked would be listed without being needed.
  const others = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
  const lockfile = { name, version, lockfileVersion, packages: { ...Object.fromEntries(others), ...locked, '': own } };
  const folder = mkdtempSync(join(tmpdir(), 'users-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockfile));
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the lockfile says of a bundled package, without the mark for which npm would leave it out. */
function lockedAs(name: string, packages: Lockfile['packages']): Locked {
  const { dev: _, ...locked } = packages[`node_modules/${name}`] ?? { version: '' };
  if (locked.version === '') throw new Error(`${name} is bundled, but package-lock.json does not have it`);
  return locked;
}

function read(root: string, path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** Runs npm, and returns its status and, unless it is shown, its output. */
export function npm(
  cwd: string,
  args: readonly string[],
  stdio: 'inherit' | 'pipe',
): { status: number; stdout: string } {
  // On Windows, `npm` is no program that could be started.
  const { npm_execpath: script } = process.env;
  const [program, ...before] = script === undefined ? ['npm'] : [process.execPath, script];
  const { status, stdout } = spawnSync(program, [...before, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', stdio, 'inherit'],
  });
  return { status: status ?? 1, stdout };
}

interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: object };
  readonly components: readonly { readonly name: string }[];
}

/**
 * Describes as CycloneDX what the built files contain and an installation gets that others wrote. The same build gives the
 * same text: without the number and the time of this run, and the version of npm.
 *
 * @param folders By the name of a bundled package, the folders of the built files that contain it.
 */
export function sbomOf(root: string, folders: ReadonlyMap<string, readonly string[]>): object {
  const { name } = read(root, 'package.json') as Manifest;
  const { status, stdout } = withProjectOfUsers(root, [...folders.keys()], (folder) =>
    npm(folder, ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], 'pipe'),
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${stdout}`);
  const { serialNumber: _, metadata, components, ...bom } = JSON.parse(stdout) as Bom;
  return {
    ...bom,
    metadata: { component: { ...metadata.component, name } },
    components: components.map((each) => ({
      ...each,
      properties: (folders.get(each.name) ?? []).map((value) => ({ name: `${name}:bundled-in`, value })),
    })),
  };
}
