import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bundled, run } from '../support/program.ts';

const program = 'tests/simulation/programs/simulated.ts';

test('a simulation needs no test runner', async () => {
  expect(await run(program)).toMatchObject({ status: 0, output: expect.stringContaining('it ends') as string });
  const { status, output } = await run(program, { MODE: 'failing' });
  expect(status).toBe(1);
  expect(output).toMatch(/The bot fails with seed 1\. 0 events are enough[^]*it is wrong/);
});

test('a simulation runs in node:test, also under its fake timers', async () => {
  const env = { ...process.env, MODE: 'node:test', NODE_TEST_CONTEXT: undefined };
  const args = ['--test', '--test-reporter=tap', await bundled(program)];
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(stdout).toMatch(/^ok 1 - a bot survives$/m);
  expect(stdout).toMatch(/^ok 2 - a bot survives under fake timers$/m);
  expect(stdout).toMatch(/^not ok 3 - a bot fails$/m);
  expect(stdout).toContain('The bot fails with seed 1.');
  expect(status).toBe(1);
});
