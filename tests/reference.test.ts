import { SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorPages } from '../tools/errors.ts';
import { headingsOf } from '../tools/headings.ts';
import { reference } from '../tools/reference.ts';
import { all, sources } from './support/documents.ts';
import { entries } from './support/entries.ts';

const pages = reference(all);
const contents = pages.get('README.md') ?? '';
const seller = new SellerClient({ baseUrl: 'https://api.example.com', accessToken: 'TOKEN' });
const methods = methodsOf(seller, '');

test('the tables of methods list every public method of a client and its resources', () => {
  expect(methods).toEqual(expect.arrayContaining(['call', 'flex.query', 'flex.items.enable', 'messages.contact']));
  expect(methods.filter((name) => !contents.includes(`\n| [\`seller.${name}\`](`))).toEqual([]);
  expect(contents.match(/^\| \[`seller\./gm)).toHaveLength(methods.length);
});

test.each(methods)(
  '%s opens with its request and its example; signature, input, result and errors follow, once each',
  (name) => {
    const sections = [...pages.values()].flatMap((text) => text.split(/^(?=#{1,3} )/m));
    const own = sections.filter((text) => text.startsWith(`### ${name}\n`));
    expect(own).toHaveLength(1);
    const [section = ''] = own;
    expect(section).toMatch(new RegExp(`^### ${name}\\n\\n(\`[A-Z]+ /.+\\n\\n)?\`\`\`ts\\n`));
    const parts = ['```ts\nseller.', '**Input**', '**Returns**', '**Errors**'].filter((part) => section.includes(part));
    // The example may be one line that begins like the signature.
    const places = parts.map((part) => section.lastIndexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const part of ['**Input**', '**Returns**', '**Errors**', '**Example**'])
      expect(section.split(part).length - 1, part).toBeLessThanOrEqual(part === '**Example**' ? 0 : 1);
  },
);

test('a page groups methods and types, and an input that takes exactly one of several fields says so', () => {
  const questions = pages.get('questions.md') ?? '';
  expect(questions.match(/^## .+/gm)).toEqual(['## Methods', '## Types', '## Functions', '## Constants']);
  expect(questions).toContain('**Input** (`QuestionSearchParams`): Exactly one of `seller_id`, `item` and `item_id`;');
});

test('every method that writes lists the errors after which its outcome is unknown', () => {
  const writes = all.methods.filter(({ endpoint }) => endpoint && endpoint.retry !== 'safe');
  const missing = writes.flatMap(({ name, endpoint, method }) => {
    const kinds = ['OutcomeUnknownError', ...(endpoint?.retry === 'unsafe' ? ['ServerError'] : [])];
    const silent = kinds.filter((kind) => !method.prose.throws.some(({ error }) => error === kind));
    return silent.map((kind) => `${name} does not list ${kind}`);
  });
  expect(missing).toEqual([]);
});

test('everything in the tables has a description', () => {
  expect(contents.match(/^\|.*\| +\|$/gm)).toBeNull();
});

test.each([...pages])('no heading of %s is empty', (_, text) => {
  const parts = text.replace(/^```[\s\S]*?^```/gm, 'code').split(/^(#+) (.+)$/m);
  const empty = parts.flatMap((depth, index) => {
    if (index % 3 !== 1) return [];
    const [title = '', content = '', next = ''] = parts.slice(index + 1, index + 4);
    const isTableWithoutRows = /\| --- \|\s*$/.test(content);
    const isEmpty = content.trim() === '' && next.length <= depth.length;
    return isEmpty || isTableWithoutRows ? [title] : [];
  });
  expect(empty).toEqual([]);
});

test.each([...pages])('the headings of %s have different anchors, and each link on it leads to one', (name, text) => {
  const anchors = headingsOf(text).map(({ anchor }) => anchor);
  expect(new Set(anchors).size).toBe(anchors.length);
  for (const [, file, anchor = ''] of text.matchAll(/\]\(([\w-]+\.md)?#([^)]+)\)/g)) {
    const target = pages.get(file ?? name) ?? '';
    expect(headingsOf(target).map((each) => each.anchor)).toContain(anchor);
  }
});

test.each([
  ['questions.blacklist.list', '[`Paged<BlockedUser>`](client.md#paged).'],
  ['questions.search', '[`Paged<Question, QuestionSearchExtra>`](client.md#paged).'],
  ['questions.get', '[`Question`](#question).'],
  ['questions.ask', '[`Question | undefined`](#question).'],
  ['messages.conversation', '[`Conversation`](#conversation).'],
  ['messages.download', '[`Download`](client.md#download).'],
  ['sites.search', '[`Paged<Listing, SiteSearchExtra>`](client.md#paged).'],
  ['flex.items.isEnabled', '`boolean`.'],
  ['flex.items.enable', '`undefined`.'],
  ['flex.query', 'any value.'],
])('%s returns what its signature says', (name, result) => {
  const section = [...pages.values()]
    .map((text) => text.split(`\n### ${name}\n`)[1])
    .find((text) => text !== undefined);
  expect(/^\*\*Returns\*\*: (.*)$/m.exec(section ?? '')?.[1]).toBe(result);
});

test('a method does not list an error that it turns into a result', () => {
  const [, section = ''] = pages.get('flex.md')?.split('\n### flex.items.isEnabled\n') ?? [];
  const [own = ''] = section.split('\n### ');
  expect(own).toContain('ItemDownError');
  expect(own).not.toContain('ItemNotFoundError');
});

test('only the type of an optional field is without `undefined`', () => {
  expect(pages.get('client.md')).toContain('| `requestId` | `string \\| undefined` |');
  expect(pages.get('client.md')).toContain('| `maxUploadBytes?` | `number` |');
});

test.each([
  ['client.md', 'documentedError', 'DocumentedError'],
  ['inbox.md', 'fetchHandler', 'FetchHandler'],
  ['inbox.md', 'notificationFields', 'NotificationFields'],
  ['testing.md', 'marketplaceMatchers', 'MarketplaceMatchers'],
])('on %s, %s and %s have links of their own', (file, first, second) => {
  const anchor = first.toLowerCase();
  expect(contents).toContain(`[\`${first}\`](${file}#${anchor})`);
  expect(contents).toContain(`[\`${second}\`](${file}#${anchor}-1)`);
});

describe('the page of an error class', () => {
  const everything = Object.assign({}, ...Object.values(entries)) as Record<string, unknown>;
  const errors = errorPages(all, everything);

  test('says what each property and method that the class adds is', () => {
    const list = errors.get('README.md') ?? '';
    const textOf = (kind: string): string =>
      errors.get(`${kind}.md`) ?? list.split(/^(?=## )/m).find((part) => part.startsWith(`## ${kind}\n`)) ?? '';
    const members = Object.values(all.entries)
      .flat()
      .filter(({ name }) => textOf(name) !== '')
      .flatMap(({ name, members }) => members.map((member) => ({ page: name, ...member })));
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter(({ prose }) => prose.text === '').map(({ page, name }) => `${page}: ${name}`)).toEqual([]);
    expect(members.filter(({ page, name }) => !textOf(page).includes(`| \`${name}\` |`))).toEqual([]);
    const trace = '| `trace` | `readonly string[]` | What has happened in the shortest run, one line each. |';
    expect(textOf('SimulationError')).toContain(trace);
  });
  const names = (kind: string, name: string): boolean => errors.get(`${kind}.md`)?.includes(`[\`${name}\`](`) ?? true;

  test('names every method whose @throws or endpoint names the class', () => {
    const missing = methods.flatMap((name) => {
      const documented = all.methods.find((each) => each.name === name);
      const kinds = [
        ...(documented?.method.prose.throws ?? []).map(({ error }) => error),
        ...(documented?.errors ?? []).map(({ error }) => error.kind),
      ];
      return kinds.filter((kind) => !names(kind, `seller.${name}`)).map((kind) => `${kind}: ${name}`);
    });
    expect(missing).toEqual([]);
    expect(names('NoChannelError', 'seller.messages.channel')).toBe(true);
  });

  test.each(['index', 'schemas', 'notifications/index', 'testing/index', 'oauth/index', 'otel/index'])(
    'names every function and method of src/%s.ts whose @throws names the class',
    (entry) => {
      // The methods of the client and its resources have the names under which a client has them.
      const others = sources
        .exportsOf(`src/${entry}.ts`)
        .filter(
          ({ name, kind, file }) =>
            name !== 'SellerClient' &&
            !(kind === 'class' && (file.startsWith('src/resources/') || name.endsWith('Error'))),
        );
      const missing = others.flatMap(({ name, kind, prose, members }) => {
        const parts = [
          { part: kind === 'class' ? `new ${name}` : name, throws: prose.throws },
          ...members.map((each) => ({ part: `${name}.${each.name}`, throws: each.prose.throws })),
        ];
        return parts.flatMap(({ part, throws }) =>
          throws.filter(({ error }) => !names(error, part)).map(({ error }) => `${error}: ${part}`),
        );
      });
      expect(missing).toEqual([]);
    },
  );
});

describe('the input table of a method', () => {
  const flex = pages.get('flex.md') ?? '';
  const fieldsOf = (name: string): string[] => {
    const [, section = ''] = flex.split(`### ${name}\n`);
    const [, input = ''] = section.split('\n### ')[0]?.split('**Input**') ?? [];
    return [...(input.split('**Returns**')[0] ?? '').matchAll(/^\| `(\w+)\??` \|/gm)].map(([, field = '']) => field);
  };

  test.each([
    ['flex.configuration', ['site_id', 'user_id', 'service_id', 'select']],
    ['flex.query', ['site_id', 'query']],
    ['flex.items.enable', ['site_id', 'item_id', 'idempotent', 'requireActive']],
    ['flex.items.isEnabled', ['site_id', 'item_id']],
  ])('of %s has the fields that the method accepts', (name, fields) => {
    expect(fieldsOf(name)).toEqual(fields);
  });
});

/** The public methods of an object and of the objects that it holds, by their path. */
function methodsOf(owner: object, path: string): string[] {
  const described = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(owner) as object);
  const members = Object.keys(described).filter((name) => name !== 'constructor' && !name.includes('.'));
  const [resources, own] = [
    members.filter((name) => described[name]?.get),
    members.filter((name) => described[name]?.value),
  ];
  const inner = [...resources, ...Object.keys(owner)].flatMap((name) =>
    methodsOf(Reflect.get(owner, name) as object, `${path}${name}.`),
  );
  return [...own.map((name) => path + name), ...inner];
}
