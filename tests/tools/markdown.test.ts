import { expect, test } from 'vitest';
import { firstSentence } from '../../tools/markdown.ts';

test.each([
  ['One sentence.', 'One sentence.'],
  ['First. Second. Third.', 'First.'],
  ['First,\non two lines. Second.', 'First,\non two lines.'],
  ['Observes calls, e.g. `openTelemetry()`. Also others.', 'Observes calls, e.g. `openTelemetry()`.'],
  ['Used in a wrong way, e.g. with an item. Remedy.', 'Used in a wrong way, e.g. with an item.'],
  ['A site, e.g. MLA, i.e. Argentina. Others exist.', 'A site, e.g. MLA, i.e. Argentina.'],
  ['Takes 1.5 seconds, approx. half of it idle. Then it ends.', 'Takes 1.5 seconds, approx. half of it idle.'],
  ['See seller.flex. Éclair.', 'See seller.flex.'],
  ['A paragraph without a full stop\n\nAnother. Third.', 'A paragraph without a full stop'],
  ['', ''],
])('the first sentence of %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});
