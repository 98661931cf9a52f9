// Audits what users get: the dependencies, and the packages whose code is in dist, which npm takes for tools of development.
// Reads the bill of materials, so it runs after a build: `npm run audit:package`. Options are passed to `npm audit`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'audit-'));
try {
  const { name, version, dependencies } = read('package.json') as Manifest;
  const { lockfileVersion, packages } = read('package-lock.json') as Lockfile;
  const { components } = read('dist/sbom.cdx.json') as { components: { name: string }[] };
  const bundled = components.map((each) => each.name).filter((each) => !(each in dependencies));
  const locked = Object.fromEntries(bundled.map((each) => [`node_modules/${each}`, lockedAs(each, packages)]));
  const versions = Object.fromEntries(bundled.map((each) => [each, lockedAs(each, packages).version]));
  const own = { name, version, dependencies: { ...dependencies, ...versions } };
  write('package.json', own);
  write('package-lock.json', { name, version, lockfileVersion, packages: { ...packages, ...locked, '': own } });
  console.log(`Auditing the dependencies, and what is bundled: ${bundled.join(', ')}`);
  process.exitCode = npm('audit', '--package-lock-only', '--omit=dev', ...process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true });
}

/** What the lockfile says of a bundled package, without the mark for which `--omit=dev` leaves it out. */
function lockedAs(name: string, packages: Lockfile['packages']): { readonly version: string } {
  const { dev: _, ...locked } = packages[`node_modules/${name}`] ?? {};
  if (!('version' in locked)) throw new Error(`${name} is bundled, but package-lock.json does not have it`);
  return locked;
}

function npm(...args: string[]): number {
  // On Windows, `npm` is no program that could be started.
  const { npm_execpath: script } = process.env;
  const [program, ...before] = script === undefined ? ['npm'] : [process.execPath, script];
  return spawnSync(program, [...before, ...args], { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function write(path: string, content: object): void {
  writeFileSync(join(folder, path), JSON.stringify(content));
}
