import { expect, test } from 'vitest';
import { anchorOf, headingsOf, withAnchors } from '../../tools/headings.ts';

test.each([
  ['flex.items.enable', 'flexitemsenable'],
  ['What to do', 'what-to-do'],
  ['Größe & `Code_1`', 'größe--code_1'],
])('the anchor of %s is %s', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});

test('repeated anchors are numbered in the order of the headings', () => {
  const page = '# Flex\n\n## flex\n\n### [FLEX](flex.md)\n\n## flex-1\n\n```sh\n# flex\n```\n\n## Other\n\n## flex\n';
  expect(headingsOf(page)).toEqual([
    { heading: 'Flex', anchor: 'flex' },
    { heading: 'flex', anchor: 'flex-1' },
    { heading: 'FLEX', anchor: 'flex-2' },
    { heading: 'flex-1', anchor: 'flex-1-1' },
    { heading: 'Other', anchor: 'other' },
    { heading: 'flex', anchor: 'flex-3' },
  ]);
});

test('a link that names a heading leads to its anchor', () => {
  const pages = new Map([
    ['', '# Here\n'],
    ['a.md', '# item\n\n## Item\n'],
  ]);
  expect(withAnchors('[`Item`](a.md#Item), [item](a.md#item), [here](#Here)', pages)).toBe(
    '[`Item`](a.md#item-1), [item](a.md#item), [here](#here)',
  );
  expect(withAnchors('[a](a.md), [b](b.md#Item), [c](a.md#none)', pages)).toBe(
    '[a](a.md), [b](b.md#Item), [c](a.md#none)',
  );
});
