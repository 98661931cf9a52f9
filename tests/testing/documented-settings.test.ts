import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspect, shapeOf } from '../../src/core/schema/schema.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { controls } from '../../src/testing/dashboard/controls.js';
import { settingsChange } from '../../src/testing/settings.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/open-points.md'), 'utf8');

/** The words that a schema takes. */
function wordsOf(schema: StandardSchema): readonly string[] {
  const found = inspect(schema);
  if (found.kind === 'enum') return found.values;
  return 'of' in found && !Array.isArray(found.of) ? wordsOf(found.of as StandardSchema) : [];
}

test.each(Object.entries(shapeOf(settingsChange)))('the page names the setting %s, and its words', (name, schema) => {
  expect(page).toContain(`\`${name}\``);
  for (const word of wordsOf(schema)) expect(page).toContain(`\`'${word}'\``);
});

test('the page names both ways of moderation', () => {
  const { mode } = shapeOf(controls['POST /__fake/moderation']!.schema!);
  expect(wordsOf(mode!).length).toBe(2);
  for (const word of wordsOf(mode!)) expect(page).toContain(`\`'${word}'\``);
});
