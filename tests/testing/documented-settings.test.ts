import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspect, shapeOf } from '../../src/core/schema/describe.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { controls } from '../../src/testing/dashboard/controls.js';
import { settingsChange } from '../../src/testing/seed/settings-schema.js';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/open-points.md'), 'utf8');

/** The words that a schema takes. */
function wordsOf(schema: StandardSchema): readonly string[] {
  const found = inspect(schema);
  if (found.kind === 'enum') return found.values;
  return 'of' in found && !Array.isArray(found.of) ? wordsOf(found.of as StandardSchema) : [];
}

test.each(Object.entries(shapeOf(settingsChange)))('the guide names the setting %s, and its words', (name, schema) => {
  expect(guide).toContain(`\`${name}\``);
  for (const word of wordsOf(schema)) expect(guide).toContain(`\`'${word}'\``);
});

test('the guide names both ways of moderation', () => {
  const { mode } = shapeOf(controls['POST /__fake/moderation']!.schema!);
  expect(wordsOf(mode!).length).toBe(2);
  for (const word of wordsOf(mode!)) expect(guide).toContain(`\`'${word}'\``);
});
