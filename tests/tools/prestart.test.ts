import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingSteps } from '../../tools/prestart.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prestart-'));
  write('package-lock.json', 1);
  write('src/core/client/transport.ts', 1);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('`npm start` sets up what is missing', () => {
  test('a bare clone is installed, then built', () => {
    expect(commands()).toEqual(['npm ci', 'npm run build']);
  });

  test('a project that is up to date needs nothing', () => {
    write('node_modules/.package-lock.json', 2);
    write('dist/sbom.cdx.json', 2);
    expect(commands()).toEqual([]);
  });

  test('a newer lockfile is installed again', () => {
    write('node_modules/.package-lock.json', 2);
    write('dist/sbom.cdx.json', 2);
    write('package-lock.json', 3);
    expect(commands()).toEqual(['npm ci']);
  });

  test('a newer source, however deep, is built again', () => {
    write('node_modules/.package-lock.json', 2);
    write('dist/sbom.cdx.json', 2);
    write('src/core/client/transport.ts', 3);
    expect(commands()).toEqual(['npm run build']);
  });

  test('each command has its reason', () => {
    expect(missingSteps(root).map(({ reason }) => reason)).toEqual(['no node_modules', 'no dist']);
  });
});

function commands(): string[] {
  return missingSteps(root).map((step) => step.command);
}

/** Writes an empty file whose modification time is `minute` minutes after the epoch. */
function write(path: string, minute: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
  utimesSync(join(root, path), minute * 60, minute * 60);
}
