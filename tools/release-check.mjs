// Checks everything that a release needs, fast checks first. Stops at the first failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseComplaints } from './release.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @type {{ version: string, scripts: Record<string, string> }} */
const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const complaints = releaseComplaints({
  version,
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  changes: execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }),
});
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);

const steps = ['test', 'test:node', 'test:previous', 'fuzz', 'bench:check', 'test:consumers', 'docs:check'];
for (const step of steps.filter((name) => name in scripts)) {
  console.log(`\n== npm run ${step}`);
  const npm = process.env.npm_execpath;
  const args = ['run', '--silent', step];
  const { status } = spawnSync(npm ? process.execPath : 'npm', npm ? [npm, ...args] : args, {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error(`\n${version} is not ready: npm run ${step} failed`);
    process.exit(1);
  }
}
console.log(`\n${version} is ready: tag it v${version}`);
