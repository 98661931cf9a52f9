import { expect, test } from 'vitest';
import { addressOf, folded, pageOf, programPage, sidebarOf } from '../../tools/pages.ts';

test.each([
  ['docs/guide/start.md', 'guide/start.md'],
  ['docs/errors/README.md', 'errors/index.md'],
  ['docs/README.md', 'contents.md'],
  ['docs/index.md', 'index.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['bench/results.md', 'bench/results.md'],
  ['examples/day/sale.ts', 'examples/day/sale.md'],
  ['README.md', undefined],
  ['src/index.ts', undefined],
])('%s becomes the page %s', (file, page) => {
  expect(pageOf(file)).toBe(page);
});

test.each([
  ['paging.md#the-end', '/guide/paging.md#the-end'],
  ['../errors/README.md', '/errors/'],
  ['../../examples/flex.ts', '/examples/flex.md'],
  ['../openapi.json', '/docs/openapi.json'],
  ['../../README.md', '/'],
  ['#options', '#options'],
  ['https://semver.org', 'https://semver.org'],
  ['../../src/client.ts', undefined],
])('from a guide, %s leads to %s', (link, address) => {
  expect(addressOf(link, 'docs/guide/start.md')).toBe(address);
});

test('a sidebar has the order and the depth of the document that lists its pages', () => {
  const list = [
    '# Documents, [all of them](nowhere.md)',
    '## First steps',
    '- [Start](guide/start.md): see [paging](guide/paging.md).',
    '  - [`seller.questions.get`](guide/paging.md#get)',
    'Words with a [link](guide/start.md).',
    '## [Questions](reference/questions.md)',
    '| [`seller.questions.ask`](reference/questions.md#ask) | a `POST` |',
    '- [the license](../LICENSE)',
  ];
  expect(sidebarOf(list.join('\n'), 'docs/README.md')).toEqual([
    {
      text: 'First steps',
      items: [
        { text: 'Start', link: '/guide/start.md', items: [{ text: 'questions.get', link: '/guide/paging.md#get' }] },
      ],
    },
    {
      text: 'Questions',
      link: '/reference/questions.md',
      items: [{ text: 'questions.ask', link: '/reference/questions.md#ask' }],
    },
  ]);
});

test('entries below the given depth are folded', () => {
  const leaf = { text: 'c', link: '/c' };
  expect(folded([{ text: 'a', items: [{ text: 'b', items: [leaf] }] }], 1)).toEqual([
    { text: 'a', items: [{ text: 'b', collapsed: true, items: [leaf] }] },
  ]);
});

test('the page of an example says what it does, how to start it, and shows its code', () => {
  const code = '// Saves files.\n// node examples/save.ts [folder]\nimport "x";\n// Why.\n';
  expect(programPage('examples/save.ts', code)).toBe(
    '---\naside: false\n---\n\n# examples/save.ts\n\nSaves files.\n\n```sh\nnode examples/save.ts [folder]\n```\n\n```ts\nimport "x";\n// Why.\n```\n',
  );
  expect(
    programPage('examples/a.ts', '/**\n * Does a.\n *\n *   node examples/a.ts    quickly\n */\nrun();\n'),
  ).toContain('Does a.\n\n```sh\nnode examples/a.ts # quickly\n```\n');
  expect(programPage('examples/b.ts', 'run();\n')).toBe(
    '---\naside: false\n---\n\n# examples/b.ts\n\n```ts\nrun();\n```\n',
  );
});
