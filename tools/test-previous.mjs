// Checks the tests of the last released version against today's types: code that compiled must still compile.
// `npm run test:previous -- <tag>` uses another version than the last.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// npm runs it in the folder of package.json.
const root = process.cwd();
const tag = process.argv[2] ?? lastRelease();
if (tag === undefined) {
  console.log('No version has been released yet: nothing to check');
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'previous-'));
try {
  const archive = execFileSync('git', ['archive', tag, 'tests/types', 'tsconfig.json'], { cwd: root });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const config = { extends: './tsconfig.json', include: ['tests/types/**/*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.previous.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.previous.json'), '--noEmit'], {
    cwd: folder,
    stdio: 'inherit',
  });
  console.log(status === 0 ? `The tests of ${tag} still compile` : `The tests of ${tag} do not compile any more`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}

function lastRelease() {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { cwd: root, encoding: 'utf8' });
  return tags.split('\n').find((name) => /^v\d+\.\d+\.\d+$/.test(name));
}
