import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { missingSteps } from '../tools/prestart.mjs';
import { hiddenDeclarations } from '../tools/reachable.ts';

const root = join(import.meta.dirname, '..');
beforeAll(() => {
  const missing = missingSteps(root).map(({ reason, command }) => `${command} (${reason})`);
  if (missing.length > 0) throw new Error(`These tests read dist; first run: ${missing.join(', ')}`);
});

test('what is declared and not exported does not become more', () => {
  const hidden = hiddenDeclarations(root);
  expect(hidden.length, hidden.join('\n')).toBeLessThanOrEqual(165);
});
