import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import * as timers from 'node:timers/promises';
import { ApiError, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Progress } from '../docs/.vitepress/playground.ts';
import { createScene, runExample } from '../docs/.vitepress/playground.ts';
import { runnable as runnableInPage } from '../docs/.vitepress/runnable.ts';
import { examplesIn, javaScriptOf, namesFrom, runSnippet, snippetsIn, typeErrors } from '../tools/snippets.ts';
// oxlint-disable-next-line no-restricted-imports -- a guide imports it as applications do
import * as zod from 'zod';
import * as builders from '../src/core/schema/define.ts';
import { entries } from './support/entries.ts';
import type { Given, Snippet } from '../tools/snippets.ts';

const root = join(import.meta.dirname, '..');
/** The first page of the site, in three languages. */
const firstPages = ['docs/index.md', 'docs/es.md', 'docs/pt.md'];
const inGuides = ['README.md', 'docs/open-points.md', ...firstPages, ...filesIn('docs/guide', '.md')].flatMap((path) =>
  // What is marked so is a part of a project in tests/consumers, which is compiled and run there: see frameworks-guide.test.ts.
  snippetsIn(path, read(path)).filter(({ marks }) => !marks.includes('consumer')),
);
const inSources = filesIn('src', '.ts').flatMap((path) => examplesIn(path, read(path)));

const givenInGuides: Given = {
  seller: "import('marketplace-seller-sdk').SellerClient",
  marketplace: "import('marketplace-seller-sdk/testing').FakeMarketplace",
  question_id: 'number',
};
/** What stands around an example in JSDoc: it shows one thing and supposes the rest. */
const around: Given = {
  Pool: 'any',
  Queue: 'any',
  Worker: 'any',
  Redis: 'any',
  accessToken: 'string',
  answer: '(question: unknown) => void',
  attachment_id: 'string',
  path: 'string',
  baseUrl: 'string',
  body: 'string',
  clients: 'any',
  error: "import('marketplace-seller-sdk').OutcomeUnknownError",
  express: 'any',
  fastify: 'any',
  http: "typeof import('node:http')",
  input:
    "import('marketplace-seller-sdk/schemas').Input<typeof import('marketplace-seller-sdk/schemas').endpoints.questions.answer>",
  load: '() => any',
  oauth: "import('marketplace-seller-sdk/oauth').OAuth",
  notification: "import('marketplace-seller-sdk/inbox').QuestionNotification",
  pack_id: 'number',
  inbox: "import('marketplace-seller-sdk/inbox').Inbox",
  refresh: '() => any',
  request: '{ url: string }',
  save: '() => any',
  setupServer: "typeof import('msw/node').setupServer",
  state: 'string',
  to: '{ user_id: number }',
  user_id: 'number',
  verifier: 'string',
};
const givenInSources: Given = {
  ...givenInGuides,
  ...(Object.assign({}, ...Object.entries(entries).map(([name, module]) => exportsOf(module, name))) as Given),
  // What schemas are built with is not exported; its examples are for who works on this package.
  ...exportsOf(builders, join(root, 'src/core/schema/define.ts')),
  ...around,
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the code in the documents', () => {
  test('every snippet compiles', async () => {
    const all = [...inGuides, ...inSources];
    const given = (snippet: Snippet): Given => {
      if (isAlone(snippet)) return {};
      return inSources.includes(snippet) ? givenInSources : givenInGuides;
    };
    expect(await typeErrors(root, all, given)).toEqual([]);
  });

  test.each(runnable(inGuides))('the snippet at $at runs, and prints what the page says', async (snippet) => {
    const printed = await run(snippet);
    const shown = printedBy(snippet);
    if (shown !== undefined) expect(printed).toEqual([shown]);
  });

  test('the page on simulations says what a bot that fails prints', () => {
    const shown = inGuides.map((each) => printedBy(each) ?? '').filter((text) => text !== '');
    expect(shown).toEqual([expect.stringMatching(/^SimulationError: /)]);
  });

  test.each(runnable(inSources).filter((each) => namesFrom(around, each.code).length === 0))(
    'the JSDoc snippet at $at runs, or fails with an ApiError for missing data',
    async (snippet) => {
      // Whatever waits is at its end at once.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }).setTimerTickMode('nextTimerAsync');
      await run(snippet).catch((error: unknown) => expect(error).toBeInstanceOf(ApiError));
    },
  );
});

describe('the examples that run in a page of the site', () => {
  const paths = [...firstPages, ...filesIn('docs/guide', '.md')];
  const inPages = paths.flatMap((path) => runnableInPage(path, snippetsIn(path, read(path))));

  test('the first page has two, and every guide one whose examples do not need Node.js', () => {
    const withSnippets = paths.filter((path) => snippetsIn(path, read(path)).length > 0);
    const found = inPages.map(({ at }) => at.replace(/:.*/, ''));
    expect(found.filter((path) => path === 'docs/index.md')).toHaveLength(2);
    expect(withSnippets.filter((path) => !found.includes(path))).toEqual(
      ['frameworks', 'proxy', 'simulation'].map((name) => `docs/guide/${name}.md`),
    );
  });

  test.each(inPages)('the one at $at ends, and says or sends something', async ({ code }) => {
    vi.stubGlobal('fetch', () => expect.fail('it leaves the page'));
    for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
    let progress: Progress = { lines: [], requests: [] };
    await runExample(javaScriptOf(code), (now) => {
      progress = now;
    });
    expect([...progress.lines, ...progress.requests]).not.toEqual([]);
  });

  test.each([1, 2, 3, 5, 8, 17])(
    'on the bad day of seed %i, each question gets one answer, sent once',
    async (seed) => {
      for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
      const { code = '' } = inPages.find((each) => each.code.includes('const seed = ')) ?? {};
      let progress: Progress = { lines: [], requests: [] };
      await runExample(javaScriptOf(code).replace(/(?<=const seed = )\d+/, String(seed)), (now) => {
        progress = now;
      });
      expect(progress.lines.at(-1)).toBe('3 answers');
      const answers = progress.requests.filter(({ call }) => call === 'POST /answers');
      expect(answers.filter(({ status }) => status === 400)).toEqual([]);
      expect(answers.length).toBeGreaterThan(seed === 17 ? 3 : 2);
    },
  );
});

function exportsOf(module: object, name: string): Given {
  return Object.fromEntries(Object.keys(module).map((each) => [each, `typeof import('${name}').${each}`]));
}

/** All but those that say in their fence that they cannot run here. */
function runnable(snippets: readonly Snippet[]): Snippet[] {
  return snippets.filter(({ marks }) => !marks.includes('no-run'));
}

/** The main flow of a guide creates all that it uses: a user copies one block, and it runs. */
function isAlone({ marks }: Snippet): boolean {
  return marks.includes('alone');
}

/** What a page says that a snippet prints, in the block that follows. */
function printedBy({ at, code }: Snippet): string | undefined {
  const [, after = ''] = read(at.replace(/:\d+$/, '')).split(code);
  return /^```\n\nIt prints .*:\n\n```\n([^]*?)\n```\n/.exec(after)?.[1];
}

/**
 * Runs a snippet in a marketplace where something has happened. The network leads to it, unless the snippet brings its own.
 *
 * @returns what it logs.
 */
async function run(snippet: Snippet): Promise<string[]> {
  const { marketplace, accessToken, question_id } = createScene();
  vi.stubEnv('SELLER_TOKEN', accessToken);
  if (!isAlone(snippet)) vi.stubGlobal('fetch', marketplace.fetch);
  const logged: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...values) => void logged.push(values.map(String).join(' ')));
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  const seller = new SellerClient({ baseUrl: marketplace.baseUrl, accessToken, fetch: marketplace.fetch });
  const tests: Promise<void>[] = [];
  const everything = Object.assign({}, ...Object.values(entries)) as Record<string, unknown>;
  const modules = {
    ...entries,
    zod,
    'node:sqlite': sqlite,
    'node:timers/promises': timers,
    // A snippet that shows a test is a test: it runs with the rest of the snippet.
    vitest: { expect, test: (_: string, body: () => Promise<void>) => void tests.push(body()) },
  };
  const given = { ...everything, ...builders, seller, marketplace, question_id };
  await runSnippet(snippet, modules, isAlone(snippet) ? {} : given);
  await Promise.all(tests);
  return logged;
}

function filesIn(folder: string, ending: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
