// Checks the package that users install: its files, its types under every module resolution, its manifest.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const BELONGS = new RegExp(
  [
    String.raw`^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|llms\.txt)$`,
    String.raw`^dist/.+$`,
    String.raw`^docs/(README\.md|versioning\.md|openapi\.json|(guide|reference|errors|decisions)/[\w-]+\.md)$`,
    String.raw`^examples/[\w/-]+\.(ts|py|md)$`,
    String.raw`^bench/\w+\.md$`,
  ].join('|'),
);
const BUNDLED = ['ky', 'oauth4webapi', 'zod'];
const MOST_FILES = 560;
const MOST_BYTES = 7 * 1024 * 1024;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'packed-'));
try {
  const { filename, files, unpackedSize } = pack();
  const complaints = [
    ...size(files.length, unpackedSize),
    ...contents(files),
    ...links(files),
    ...declarations(files),
    ...bundled(),
    ...programs(),
  ];
  if (complaints.length > 0) throw new Error(`The package has errors:\n- ${complaints.join('\n- ')}`);
  run('publint/src/cli.js', join(folder, filename), '--strict');
  // Resolution without `exports` (node10) can only reach the main entry, and cannot run this package.
  run('@arethetypeswrong/cli/dist/index.js', join(folder, filename), '--profile', 'node16', '--format', 'ascii');
  console.log(`The package is valid: ${files.length} files, ${Math.round(unpackedSize / 1024)} KiB unpacked`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns {{ filename: string, files: string[], unpackedSize: number }} */
function pack() {
  // `npm_execpath` is the npm that runs this script. On Windows, `npm` is not an executable.
  const npm = process.env.npm_execpath;
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync(npm ? process.execPath : 'npm', npm ? [npm, ...args] : args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  /** @type {{ filename: string, files: { path: string }[], unpackedSize: number } | undefined} */
  const packed = Object.values(JSON.parse(output))[0];
  if (packed === undefined) throw new Error('npm packed nothing');
  return { ...packed, files: packed.files.map((file) => file.path) };
}

/**
 * @param {number} files
 * @param {number} bytes
 * @returns {string[]}
 */
function size(files, bytes) {
  return [
    ...(files > MOST_FILES ? [`it has ${files} files; ${MOST_FILES} are the most`] : []),
    ...(bytes > MOST_BYTES ? [`it has ${bytes} bytes unpacked; ${MOST_BYTES} are the most`] : []),
  ];
}

/**
 * @param {string[]} files
 * @returns {string[]}
 */
function contents(files) {
  /** @type {{ bin: object, exports: object, imports: object }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const promised = (JSON.stringify([manifest.exports, manifest.imports]).match(/"\.\/(dist\/[^"]+)"/g) ?? []).map(
    (path) => path.slice(3, -1),
  );
  const needed = [
    ...Object.values(manifest.bin),
    'LICENSE',
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/cjs/types/package.json',
    ...promised,
  ];
  return [
    ...needed.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...files.filter((path) => !BELONGS.test(path)).map((path) => `${path} does not belong in it`),
    ...files
      .filter((path) => /^dist\/esm\/.+\.js$/.test(path) && !files.includes(`${path}.map`))
      .map((path) => `${path} has no source map`),
    ...files
      .filter((path) => path.endsWith('.js.map') && !hasSources(path))
      .map((path) => `${path} does not contain its sources`),
    ...files
      .filter((path) => path.startsWith('dist/') && readFileSync(join(root, path), 'utf8').includes(root))
      .map((path) => `${path} names a folder of the machine that built it`),
  ];
}

/**
 * Whether a source map contains the sources. oauth4webapi publishes a map, but not its source.
 * @param {string} path
 */
function hasSources(path) {
  /** @type {{ sources: string[], sourcesContent?: (string | null)[] }} */
  const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return sources.every(
    (source, index) => typeof sourcesContent[index] === 'string' || source.includes('/oauth4webapi/'),
  );
}

/**
 * Checks that relative links in the packed documents lead to packed files or folders.
 * @param {string[]} files
 * @returns {string[]}
 */
function links(files) {
  const documents = files.filter((path) => path.endsWith('.md') || path === 'llms.txt');
  return documents.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/^```[^]*?^```/gm, '');
    return [...text.matchAll(/\]\(([^)\s#]+)/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => posix.join(posix.dirname(path), link))
      .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
      .map((target) => `${path} links to ${target}, which is not in the package`);
  });
}

/**
 * Checks that declarations only import packages that users install.
 * @param {string[]} files
 * @returns {string[]}
 */
function declarations(files) {
  /** @type {{ dependencies?: object, peerDependencies?: object }} */
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const had = Object.keys({ ...dependencies, ...peerDependencies });
  return files
    .filter((path) => path.endsWith('.d.ts'))
    .flatMap((path) => {
      // An example in a comment may import the package itself.
      const text = readFileSync(join(root, path), 'utf8').replace(/\/\*[^]*?\*\//g, '');
      return [...text.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/g)]
        .map((match) => match[1] ?? '')
        .filter((name) => !name.startsWith('node:') && !had.includes(name))
        .map((name) => `${path} mentions ${name}, which users do not have`);
    });
}

/**
 * Runs the programs that the package installs.
 * @returns {string[]}
 */
function programs() {
  /** @type {{ bin: Record<string, string>, version: string }} */
  const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(bin)
    .map((path) => ({ path, ...spawnSync(process.execPath, [join(root, path), '--version'], { encoding: 'utf8' }) }))
    .filter(({ stdout }) => stdout.trim() !== version)
    .map(({ path, stdout, stderr }) => `${path} says the version ${stdout.trim()}${stderr.trim()}, not ${version}`);
}

/** @returns {string[]} */
function bundled() {
  const text = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  return [...text.matchAll(/^(\S+)\n=+$/gm)]
    .map((match) => match[1] ?? '')
    .filter((name) => !BUNDLED.includes(name))
    .map((name) => `${name} is bundled: it should be a dependency, or be named in tools/check-package.mjs`);
}

/**
 * Runs the program of a package, and shows its output only if it fails.
 * @param {string} script
 * @param {...string} args
 */
function run(script, ...args) {
  const program = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], { encoding: 'utf8' });
  if (program.status !== 0) throw new Error(`${script} failed:\n${program.stdout}${program.stderr}`);
}
