import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples');
// It needs a Redis, so tests/notifications/examples.test.ts runs it beside one.
const needsMore = new Set(['notifications-bullmq.ts']);
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts') && !needsMore.has(name));

beforeAll(() => {
  const steps = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (steps.length > 0) throw new Error(`The examples use dist; first run: ${steps.join(', ')}`);
});

test.each(programs)('examples/%s runs to its end', (name) => {
  const options = { cwd: root, encoding: 'utf8', timeout: 15_000 } as const;
  const { status, stderr } = spawnSync(process.execPath, [join(folder, name)], options);
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
