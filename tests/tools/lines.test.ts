import { expect, test } from 'vitest';
import { linesIn } from '../../bench/rows/lines.ts';

test.each([
  ['a blank line is not code', 'const a = 1;\n\n  \nconst b = 2;\n', 2],
  ['a comment is not code', '// one\n/* two\n   three */\n/** four */\nexport const a = 1; // five\n', 1],
  ['a comment between the parts of a statement is not code', 'const a = [\n  // one\n  1,\n];', 3],
  ['a statement counts for each of its lines', 'f(\n  1,\n  2,\n);', 4],
  ['a text counts for each of its lines, blank ones included', 'const a = `one\n\n// two`;', 3],
  ['two statements on a line are one line', 'f(); g();', 1],
  ['nothing has no lines', '', 0],
])('%s', (_, code, lines) => {
  expect(linesIn(code)).toBe(lines);
});
