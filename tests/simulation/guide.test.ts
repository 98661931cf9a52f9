import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runSnippet, snippetsIn } from '../../tools/snippets.ts';
import { entries } from '../support/entries.ts';

const page = 'docs/guide/simulation.md';
const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');

test('the guide shows the failure of its first bot as it is printed', async () => {
  const [first] = snippetsIn(page, text);
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await runSnippet(first!, entries, {});
  const [, shown] = /^```\n(SimulationError: [^]*?)\n```$/m.exec(text) ?? [];
  expect(printed.mock.calls.map(([line]) => String(line))).toEqual([shown]);
});
