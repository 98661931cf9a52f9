// Checks everything that a release needs, fast checks first. Stops at the first failure: `npm run release:check`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * Returns the reasons why this checkout cannot be released.
 *
 * @param {{ version: string, changelog: string, changes: string }} checkout `changes` is what `git status --porcelain` says.
 * @returns {string[]}
 */
export function releaseComplaints({ version, changelog, changes }) {
  const entry = changelog.split(/^(?=## )/m).find((part) => part.startsWith(`## [${version}]`));
  const unreleased = changelog.split(/^(?=## )/m).find((part) => part.startsWith('## [Unreleased]'));
  const complaints = [];
  if (changes.trim() !== '') complaints.push(`Not everything is committed:\n${changes.trimEnd()}`);
  if (entry === undefined) complaints.push(`CHANGELOG.md has no entry for ${version}`);
  else if (!/^## \[[^\]]+\] - \d{4}-\d\d-\d\d$/m.test(entry))
    complaints.push(`The entry for ${version} in CHANGELOG.md has no date: ## [${version}] - YYYY-MM-DD`);
  else if (!/^- /m.test(entry)) complaints.push(`The entry for ${version} in CHANGELOG.md says nothing`);
  if (/^- /m.test(unreleased ?? '')) complaints.push('CHANGELOG.md still has changes under [Unreleased]');
  return complaints;
}

// npm runs it in the folder of package.json, before the scripts with the other checks.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const changes = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  const complaints = releaseComplaints({ version, changelog: readFileSync('CHANGELOG.md', 'utf8'), changes });
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}
