// Builds the documentation site into .site, or serves it with live reload: `node tools/site.mjs build|dev`.
// Options of VitePress may follow, such as `--base /documents/` for a site that is not at the root of its host.
// VitePress is installed on demand, next to its configuration. `npm cit` does not need it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'docs/.vitepress');
const npm = process.env.npm_execpath;
const install = ['install', '--prefix', folder, '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];

run(npm ? process.execPath : 'npm', npm ? [npm, ...install] : install);
const [command = 'build', ...options] = process.argv.slice(2);
run(process.execPath, [join(folder, 'node_modules/vitepress/bin/vitepress.js'), command, 'docs', ...options]);

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
