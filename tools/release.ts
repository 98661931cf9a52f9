// Says what a checkout lacks for a release, before the slow checks: `npm run release:check`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Change } from './api-changes.ts';
import { repositoryFields } from './repository.ts';

/** What a release is judged by. `changes` is what `git status --porcelain` says. */
export interface Checkout {
  readonly version: string;
  readonly changelog: string;
  readonly changes: string;
  /** Where the repository is, if that is known. */
  readonly repository: string | undefined;
}

/** Returns the reasons why this checkout cannot be released. */
export function releaseComplaints({ version, changelog, changes, repository }: Checkout): string[] {
  const [entry, unreleased] = [version, 'Unreleased'].map((name) =>
    entriesOf(changelog).find((each) => each.version === name),
  );
  const complaints: string[] = [];
  if (changes.trim() !== '') complaints.push(`Not everything is committed:\n${changes.trimEnd()}`);
  if (entry === undefined) complaints.push(`CHANGELOG.md has no entry for ${version}`);
  else if (entry.date === undefined)
    complaints.push(`The entry for ${version} in CHANGELOG.md has no date: ## [${version}] - YYYY-MM-DD`);
  else if (!saysSomething(entry)) complaints.push(`The entry for ${version} in CHANGELOG.md says nothing`);
  if (unreleased && saysSomething(unreleased)) complaints.push('CHANGELOG.md still has changes under [Unreleased]');
  if (repository === undefined)
    complaints.push(
      'Nothing says where the repository is: git remote add origin URL, or set `repository` in package.json',
    );
  return complaints;
}

/** One version in a changelog, the latest first; `Unreleased` is the first one. */
export interface Entry {
  readonly version: string;
  readonly date: string | undefined;
  readonly text: string;
}

export function entriesOf(changelog: string): Entry[] {
  return changelog.split(/^(?=## \[)/m).flatMap((text) => {
    const [, version, date] = /^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d)\n)?/.exec(text) ?? [];
    return version === undefined ? [] : [{ version, date, text }];
  });
}

function saysSomething({ text }: Entry): boolean {
  return /^- /m.test(text);
}

/**
 * Moves what is under Unreleased below the heading of a version. A version without a change of its own says which candidate
 * it was.
 *
 * @throws {Error} If nothing is unreleased, and the last version is no candidate of this one.
 */
export function releasedChangelog(changelog: string, version: string, date: string): string {
  const [unreleased, last] = entriesOf(changelog);
  if (unreleased?.version !== 'Unreleased') throw new Error('CHANGELOG.md does not begin with ## [Unreleased]');
  const heading = `## [Unreleased]\n\n## [${version}] - ${date}\n`;
  if (saysSomething(unreleased)) return changelog.replace('## [Unreleased]\n', heading);
  if (last === undefined || !isCandidateOf(last.version, version))
    throw new Error(`CHANGELOG.md says nothing under [Unreleased]: there is nothing to release as ${version}`);
  return changelog.replace('## [Unreleased]\n', `${heading}\n- Nothing changed since ${last.version}.\n`);
}

function isCandidateOf(version: string, other: string): boolean {
  return version.includes('-') && partsOf(version).core === partsOf(other).core;
}

function partsOf(version: string): { core: string; candidate: string } {
  const [core = '', ...candidate] = version.split('-');
  return { core, candidate: candidate.join('-') };
}

/** Whether a version comes after another one: 1.0.0 after 1.0.0-rc.10, and that after 1.0.0-rc.9. */
export function isLater(version: string, other: string): boolean {
  const [one, two] = [partsOf(version), partsOf(other)];
  const order = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  if (one.core !== two.core) return order(one.core, two.core) > 0;
  if (one.candidate === '' || two.candidate === '') return one.candidate === '' && two.candidate !== '';
  return order(one.candidate, two.candidate) > 0;
}

/** What a version may change since another one: anything from a candidate on, and in a minor version before 1.0.0. */
export function allowedChange(before: string, version: string): Change {
  const [one = [], two = []] = [before, version].map((each) => partsOf(each).core.split('.').map(Number));
  if (isCandidateOf(before, version) || one[0] !== two[0]) return 'breaking';
  if (one[1] !== two[1]) return two[0] === 0 ? 'breaking' : 'added';
  return 'patch';
}

// npm runs it in the folder of package.json, before the scripts with the other checks.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const complaints = releaseComplaints({
    version: (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    changes: execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }),
    repository: repositoryFields(join(import.meta.dirname, '..'))?.homepage,
  });
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}
