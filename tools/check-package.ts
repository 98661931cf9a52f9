// Checks the package that users install: publint checks its manifest, attw its types under every module resolution.
import { execSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

const BELONGS = /^(dist\/.+|[A-Z]+(\.md)?|llms\.txt|package\.json|docs\/[\w/-]+\.(json|md))$/;
const MOST_FILES = 450;
const MOST_BYTES = 4.65e6;

const root = dirname(import.meta.dirname);
const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const folder = mkdtempSync(join(tmpdir(), 'packed-'));
try {
  const [{ filename, files, unpackedSize }] = Object.values(
    JSON.parse(run(`npm pack --json --ignore-scripts --pack-destination "${folder}"`)) as object,
  ) as [{ filename: string; files: { path: string }[]; unpackedSize: number }];
  const paths = files.map(({ path }) => path);
  const complaints = [
    ...(paths.length > MOST_FILES ? [`it has ${paths.length} files; ${MOST_FILES} are the most`] : []),
    ...(unpackedSize > MOST_BYTES ? [`it has ${unpackedSize} bytes unpacked; ${MOST_BYTES} are the most`] : []),
    ...paths.filter((path) => !BELONGS.test(path)).map((path) => `${path} does not belong in it`),
    ...paths.flatMap((path) => complaintsAbout(path, paths)),
  ];
  if (complaints.length > 0) throw new Error(`The package has errors:\n- ${complaints.join('\n- ')}`);
  run(`node node_modules/publint/src/cli.js "${join(folder, filename)}" --strict`);
  // Resolution without `exports` (node10) can only reach the main entry, and cannot run this package.
  run(
    `node node_modules/@arethetypeswrong/cli/dist/index.js "${join(folder, filename)}" --profile node16 --format ascii`,
  );
  console.log(`The package is valid: ${paths.length} files, ${Math.round(unpackedSize / 1024)} KiB unpacked`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** What is wrong with a packed file. */
function complaintsAbout(path: string, paths: readonly string[]): string[] {
  const text = read(path);
  if (path.startsWith('dist/') && text.includes(root)) return [`${path} names a folder of the machine that built it`];
  const [, map] = /^\/\/# sourceMappingURL=(.+)$/m.exec(path.endsWith('js') ? text : '') ?? [];
  if (map !== undefined && !paths.includes(posix.join(posix.dirname(path), map)))
    return [`${path} names ${map}, which is not in it`];
  if (/^dist\/.+js$/.test(path) && /^\/\/ .*(?:src|node_modules|package:)/m.test(text))
    return [`${path} names in a comment the files that it was made of`];
  if (path.endsWith('.d.ts'))
    return foreignPackages(text).map((name) => `${path} mentions ${name}, which users do not have`);
  if (!/\.md$|^llms\.txt$/.test(path)) return [];
  const links = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/\]\((?![a-z]+:)([^)\s#]+)/g)];
  return links
    .map(([, link = '']) => posix.join(posix.dirname(path), link))
    .filter((target) => !paths.some((file) => file === target || file.startsWith(`${target}/`)))
    .map((target) => `${path} links to ${target}, which is not in the package`);
}

/** The packages that a declaration imports and that users do not install. An example in a comment may import any. */
function foreignPackages(declaration: string): string[] {
  const code = declaration.replace(/\/\*[^]*?\*\//g, '');
  const names = [...code.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name = '']) => name);
  return names.filter((name) => !name.startsWith('node:') && !(name in { ...dependencies, ...peerDependencies }));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Runs a program, and shows its output only if it fails. */
function run(command: string): string {
  try {
    return execSync(command, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
