import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');

beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`These tests read dist; first run: ${steps.join(', ')}`);
});

test.each([
  ['import', '--input-type=module', `const { SellerClient } = await import('${join(root, 'dist/esm/index.js')}');`],
  ['require', '--input-type=commonjs', `const { SellerClient } = require('${join(root, 'dist/cjs/index.cjs')}');`],
])('a program that dies of an error of ours prints its message first: by %s', (_, type, load) => {
  const program = `${load}
    const seller = new SellerClient({ baseUrl: 'http://127.0.0.1:9', accessToken: 'APP_USR-secret-1', maxRetries: 0 });
    seller.questions.get({ question_id: 1 });`;
  const { status, stderr } = spawnSync(process.execPath, [type, '-e', program], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  // Node prints the line of the code that throws before it.
  expect(stderr.indexOf('ConnectionError: GET /questions/{question_id} got no response')).toBeGreaterThan(0);
  expect(stderr.indexOf('ConnectionError: ')).toBeLessThan(1000);
  expect(stderr.length).toBeLessThan(5000);
});
