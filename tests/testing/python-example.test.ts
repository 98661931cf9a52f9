import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../tools/find-program.mjs';
import { running } from '../support/serving.ts';

const python = findProgram('python3');
const example = join(import.meta.dirname, '../../examples/webhook_test.py');

test.skipIf(python === undefined)(
  'the Python example tests an integration, and a login with OAuth, against the server',
  async () => {
    const token = 'a-control-token-of-the-test';
    const serving = running('fake', '--port', '0', '--quiet', '--control-token', token);
    const env = { ...process.env, FAKE_URL: await serving.url(), FAKE_TOKEN: token };
    const { stderr } = await promisify(execFile)(python ?? '', ['-B', example], { env });
    await serving.end();
    expect(stderr).toMatch(/Ran 6 tests .*OK\s*$/s);
  },
);
