import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { json, startServer } from '../support/http-server.ts';

const root = join(import.meta.dirname, '../..');

test('an advisory fails the audit: of what is bundled, of a dependency, and of what a dependency needs', async () => {
  const { status, output } = await audit('zod', 'form-data', 'mime-db', 'prettier');
  const named = output.match(/https:\/\/advisories\.test\/[\w-]+/g);
  expect([...new Set(named)].toSorted()).toEqual(
    ['form-data', 'mime-db', 'zod'].map((name) => `https://advisories.test/${name}`),
  );
  expect(status).toBe(1);
});

test('an advisory of a tool that users never get does not', async () => {
  const { status, output } = await audit('prettier');
  expect(output).toContain('found 0 vulnerabilities');
  expect(status).toBe(0);
});

/** Audits where the registry knows of one advisory of each of these packages, for every version. */
async function audit(...names: string[]): Promise<{ status: number; output: string }> {
  // npm keeps advisories, by their id.
  const cache = mkdtempSync(join(tmpdir(), 'npm-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const advisories = names.map((name, index) => ({
    id: index + 1,
    url: `https://advisories.test/${name}`,
    title: 'It is vulnerable',
    severity: 'high',
    vulnerable_versions: '*',
    cwe: [],
    cvss: { score: 7, vectorString: '' },
  }));
  const found = Object.fromEntries(names.map((name, index) => [name, [advisories[index]]]));
  const registry = await startServer((response, _, { method }) => {
    if (method === 'POST') json(response, 200, found);
    else json(response, 404, { error: 'not found' });
  });
  const env = {
    ...process.env,
    npm_config_registry: registry.url,
    npm_config_audit: 'true',
    npm_config_cache: cache,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['tools/audit.ts'], { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}
