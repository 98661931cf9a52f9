import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesBetween, gravest } from '../tools/api-changes.ts';
import type { Change } from '../tools/api-changes.ts';
import { missingSteps } from '../tools/prestart.mjs';
import { reports } from '../tools/api-reports.ts';

const root = join(import.meta.dirname, '..');
const [unreleased = '', released = ''] = read(join(root, 'CHANGELOG.md')).split(/^## /m).slice(1);
const [, version = ''] = /^\[(\d[^\]]*)\]/.exec(released) ?? [];

/** What differs from the last version, by name. */
let changed: ReadonlyMap<string, Change>;
/** The reports of this build. */
const folder = mkdtempSync(join(tmpdir(), 'api-'));
beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`These tests read dist; first run: ${steps.join(', ')}`);
  execFileSync(process.execPath, [join(root, 'tools/api.ts'), folder]);
  changed = changesSince(version);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([...reports().keys()])('%s in the folder api is the one of this build', async (name) => {
  await expect(readFileSync(join(folder, name), 'utf8')).toMatchFileSnapshot(join(root, 'api', name));
});

describe('the changelog', () => {
  test(`says of what was declared in ${version} and is not any more that it is breaking`, () => {
    const kind = gravest(changed.values());
    const says = /^### Breaking changes$|\bBreaking: /m.test(unreleased)
      ? 'breaking'
      : /^- /m.test(unreleased)
        ? 'added'
        : 'patch';
    // What a program does may break without a change of a type.
    expect([kind, 'breaking']).toContain(says);
  });

  test('names each export that is removed', () => {
    const code = [...unreleased.matchAll(/`([^`\n]+)`/g)].map(([, each]) => each).join('\n');
    const now = [...reports().keys()].map((name) => read(join(folder, name))).join('\n');
    const isDeclared = (name: string): boolean =>
      new RegExp(`^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) ${name}\\b`, 'm').test(
        now,
      );
    const removed = [...changed].flatMap(([name, change]) =>
      change === 'breaking' && !isDeclared(name) ? [name] : [],
    );
    expect(removed.length).toBeGreaterThan(0);
    expect(removed.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});

function changesSince(version: string): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const name of new Set([...readdirSync(join(root, 'api', version)), ...reports().keys()])) {
    const [before, now] = [read(join(root, 'api', version, name)), read(join(folder, name))];
    for (const [each, change] of changesBetween(before, now))
      changes.set(each, gravest([change, changes.get(each) ?? 'patch']));
  }
  return changes;
}

/** An entry that there was not, or is no longer, declares nothing. */
function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
