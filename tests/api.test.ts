import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesBetween, gravest } from '../tools/api-changes.ts';
import type { Change } from '../tools/api-changes.ts';
import { entryFiles } from '../tools/catalogue.ts';
import { missingSteps } from '../tools/prestart.mjs';
import { reports } from '../tools/api-reports.ts';
import { allowedChange, entriesOf } from '../tools/release.ts';
import { sources } from './support/documents.ts';

const root = join(import.meta.dirname, '..');
/** What the changelog says of each version whose reports are kept, and of what is unreleased, the latest first. */
const entries = entriesOf(read(join(root, 'CHANGELOG.md'))).filter(
  ({ version }) => version === 'Unreleased' || existsSync(join(root, 'api', version)),
);
/** Each version beside the one before. */
const steps = entries.slice(0, -1).map((entry, index) => ({ ...entry, before: entries[index + 1]!.version }));

/** The reports of this build. */
const folder = mkdtempSync(join(tmpdir(), 'api-'));
beforeAll(() => {
  const missing = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (missing.length > 0) throw new Error(`These tests read dist; first run: ${missing.join(', ')}`);
  execFileSync(process.execPath, [join(root, 'tools/api.ts'), folder]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([...reports().keys()])('%s in the folder api is the one of this build', async (name) => {
  await expect(readFileSync(join(folder, name), 'utf8')).toMatchFileSnapshot(join(root, 'api', name));
});

describe.each(steps)('the changelog of $version', ({ version, before, text }) => {
  test(`says that what ${before} declares and it does not is breaking, and is of a version that may be`, () => {
    const kind = gravest(changesBetweenVersions(before, version).values());
    const isBreaking = /^### Breaking changes$|\bBreaking: /m.test(text);
    if (kind === 'breaking') expect(isBreaking).toBe(true);
    if (kind === 'added') expect(text).toMatch(/^- /m);
    const allowed = version === 'Unreleased' ? 'breaking' : allowedChange(before, version);
    expect(gravest([kind, allowed]), `${version} has a change that is ${kind} since ${before}`).toBe(allowed);
  });

  test('names each export that is removed', () => {
    const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, each]) => each).join('\n');
    const unnamed = removedExports(before, version).filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
    expect(unnamed).toEqual([]);
  });
});

test('at most 430 names are exported, without those of flexV2: each is kept in all versions of a major one', () => {
  const exported = Object.values(entryFiles).flatMap((path) => sources.exportsOf(path));
  const own = exported.filter(({ file }) => !file.startsWith('src/resources/flex-v2/'));
  expect(new Set(own.map(({ name }) => name)).size).toBeLessThanOrEqual(430);
});

test('what the last version declares is kept', () => {
  expect(entries[1]?.version).toBe(entriesOf(read(join(root, 'CHANGELOG.md')))[1]?.version);
});

test('an export that was removed since 0.2.0 is found', () => {
  expect(removedExports('0.2.0', 'Unreleased')).toContain('createReceiver');
});

function removedExports(before: string, version: string): string[] {
  const now = reportsOf(version).join('\n');
  // An export under another name, `export { A as B }`, is listed as it is written.
  const isDeclared = (name: string): boolean =>
    now.includes(name) &&
    (name.startsWith('export {') ||
      new RegExp(`^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) ${name}\\b`, 'm').test(
        now,
      ));
  return [...changesBetweenVersions(before, version)].flatMap(([name, change]) =>
    change === 'breaking' && !isDeclared(name) ? [name] : [],
  );
}

function changesBetweenVersions(before: string, version: string): Map<string, Change> {
  const changes = new Map<string, Change>();
  const [old, current] = [reportsOf(before), reportsOf(version)];
  for (const [index, each] of old.entries()) {
    for (const [name, change] of changesBetween(each, current[index] ?? ''))
      changes.set(name, gravest([change, changes.get(name) ?? 'patch']));
  }
  return changes;
}

/** What each entry of a version declares. An entry that there was not yet, or is no longer, declares nothing. */
function reportsOf(version: string): string[] {
  const kept = entries.filter((each) => each.version !== 'Unreleased').map((each) => join(root, 'api', each.version));
  const names = new Set([...reports().keys(), ...kept.flatMap((path) => readdirSync(path))]);
  const from = version === 'Unreleased' ? folder : join(root, 'api', version);
  return [...names].map((name) => read(join(from, name)));
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
