import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, startServer } from '../support/http-server.ts';

const root = join(import.meta.dirname, '../..');

test.each([
  ['of a package that is bundled', 'zod'],
  ['of a dependency', 'form-data'],
  ['of a package that a dependency needs', 'mime-db'],
])('an advisory %s fails the audit', async (_, name) => {
  const { status, output } = await audit(name);
  expect(output).toContain('https://advisories.test/1');
  expect(status).toBe(1);
});

test('an advisory of a tool that users never get does not', async () => {
  const { status, output } = await audit('prettier');
  expect(output).toContain('found 0 vulnerabilities');
  expect(status).toBe(0);
});

/** Audits where the registry knows of one advisory, for every version of a package. */
async function audit(name: string): Promise<{ status: number; output: string }> {
  const advisory = {
    id: 1,
    url: 'https://advisories.test/1',
    title: 'It is vulnerable',
    severity: 'high',
    vulnerable_versions: '*',
    cwe: [],
    cvss: { score: 7, vectorString: '' },
  };
  const registry = await startServer((response, _, { method }) => {
    if (method === 'POST') json(response, 200, { [name]: [advisory] });
    else json(response, 404, { error: 'not found' });
  });
  const env = {
    ...process.env,
    npm_config_registry: registry.url,
    npm_config_audit: 'true',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['tools/audit.ts'], { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}
