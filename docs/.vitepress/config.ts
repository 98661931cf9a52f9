// The documentation site. The repository is its source folder, so that links between documents work in the repository
// and on the site.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorOf, headingsOf } from '../../tools/headings.ts';
import { loadPageScript } from '../../tools/page-script.ts';
import { addressOf, folded, pageOf, sidebarOf } from '../../tools/pages.ts';
import type { Entry } from '../../tools/pages.ts';
import { runButton, runnable } from './runnable.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const logo = `data:image/svg+xml,${encodeURIComponent(read('docs/.vitepress/logo.svg'))}`;
const { version, description, repository } = JSON.parse(read('package.json')) as {
  version: string;
  description: string;
  repository?: { url: string };
};
const source = repository?.url.replace(/^git\+|\.git$/g, '');

// `defineConfig` is not used: VitePress is only installed where the site is built, but this file is checked everywhere.
export default {
  title: 'marketplace-seller-sdk',
  description,
  lang: 'en',
  head: [['link', { rel: 'icon', href: logo }]],
  srcDir: '..',
  srcExclude: [
    'node_modules/**',
    'dist/**',
    'coverage/**',
    'tests/**',
    'src/**',
    'api/**',
    'tools/**',
    'bench/!(results|faults).md',
    'README.md',
  ],
  outDir: '../.site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: (file: string) => pageOf(file) ?? file,
  markdown: { config: extendMarkdown, anchor: { slugify: anchorOf } },
  vite: {
    // The examples that run in a page take the client from its source.
    resolve: {
      alias: [
        { find: '#platform', replacement: join(root, 'src/core/transport/platform-portable.ts') },
        { find: /^marketplace-seller-sdk$/, replacement: join(root, 'src/index.ts') },
        { find: /^marketplace-seller-sdk\/inbox$/, replacement: join(root, 'src/notifications/index.ts') },
        { find: /^marketplace-seller-sdk\/(schemas|stores)$/, replacement: join(root, 'src/$1.ts') },
        { find: /^marketplace-seller-sdk\/(outbox|testing|tools)$/, replacement: join(root, 'src/$1/index.ts') },
      ],
    },
    plugins: [
      { name: 'vue beside the site', enforce: 'pre', resolveId: keepVueExternal },
      { name: 'page-scripts', enforce: 'pre', load: loadPageScript },
    ],
  },
  themeConfig: {
    logo,
    ...(source && { editLink: { pattern: `${source}/edit/main/:path`, text: 'Edit this page' } }),
    nav: [
      { text: 'Guides', link: '/guide/getting-started', activeMatch: '^/guide/' },
      { text: 'Examples', link: '/examples/', activeMatch: '^/examples/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Errors', link: '/errors/', activeMatch: '^/errors/' },
      { text: `Version ${version}`, link: '/changelog' },
    ],
    sidebar: {
      '/': sidebar('docs/README.md', 2),
      '/examples/': sidebar('examples/README.md', 2),
      '/reference/': sidebar('docs/reference/README.md', 0),
      '/errors/': headings('docs/errors/README.md', '/errors/'),
      '/decisions/': sidebar('docs/decisions/README.md', 2),
    },
    outline: { level: [2, 4] },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render: searched,
        // A guide comes before the reference, and both before the pages about the library itself.
        miniSearch: { searchOptions: { fuzzy: fuzziness, boostDocument: rankOf } },
        // The name of the button is what it shows: "Search", a space, and its key.
        translations: { button: { buttonText: 'Search ', buttonAriaLabel: 'Search K' } },
      },
    },
    externalLinkIcon: true,
    footer: { message: `MIT license · version ${version}` },
  },
  // The folder of a page becomes its CSS class, so that the style sheet recognises reference pages.
  transformPageData: ({ relativePath, frontmatter }: { relativePath: string; frontmatter: object }) => ({
    frontmatter: { ...frontmatter, pageClass: dirname(relativePath) },
  }),
  // Documents and data are also published as they are, because llms.txt links to them.
  buildEnd: ({ pages, outDir }: { pages: string[]; outDir: string }) => {
    const documents = pages.filter((page) => existsSync(join(root, page)));
    for (const file of ['llms.txt', 'README.md', 'docs/openapi.json', ...documents]) publish(file, outDir);
  },
};

function sidebar(file: string, unfolded: number): Entry[] {
  return folded(sidebarOf(read(file), file), unfolded);
}

/** The headings of a page that lists much. */
function headings(file: string, address: string): Entry[] {
  const [, ...below] = headingsOf(read(file));
  return below.map(({ heading, anchor }) => {
    const hasPage = existsSync(join(root, dirname(file), `${heading}.md`));
    return { text: heading, link: hasPage ? `${address}${heading}` : `${address}#${anchor}` };
  });
}

/** Leaves Vue external for server rendering: it is installed next to this file, not next to the pages. */
function keepVueExternal(
  id: string,
  _importer: unknown,
  { ssr }: { ssr?: boolean },
): { id: string; external: true } | undefined {
  return ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined;
}

interface Token {
  type: string;
  tag: string;
  children: Token[] | null;
  content: string;
  info: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface MarkdownState {
  tokens: Token[];
  env: { realPath?: string; path?: string };
  Token: new (type: string, tag: string, nesting: number) => Token;
}

interface MarkdownIt {
  render(source: string, env: object): string;
  renderer: { rules: Record<string, (tokens: Token[], index: number) => string> };
  utils: { escapeHtml(text: string): string };
  core: {
    ruler: {
      push(name: string, rule: (state: MarkdownState) => void): void;
    };
  };
}

function extendMarkdown(markdown: MarkdownIt): void {
  rewriteLinks(markdown);
  labelCells(markdown);
  addRunButtons(markdown);
  shortenOutline(markdown);
  // Code in a line may break after punctuation, never inside an identifier. A request begins with its method.
  markdown.renderer.rules.code_inline = (tokens, index) => {
    const code = tokens[index]?.content ?? '';
    const [, method, path] = /^(GET|POST|PUT|DELETE|OPTIONS) (\/.*)$/.exec(code) ?? [];
    const text = markdown.utils
      .escapeHtml(path ?? code)
      .replace(/(?<=[\w}\])])[/.,|](?=.)|\((?!\))|&lt;(?=\S)/g, (mark) => (mark === '/' ? '<wbr>/' : `${mark}<wbr>`));
    return method
      ? `<code v-pre class="request"><b class="${method.toLowerCase()}">${method}</b> ${text}</code>`
      : `<code v-pre>${text}</code>`;
  };
}

/** Leaves the class out of the names of its members, in the outline of a page: its entry is above them. */
function shortenOutline(markdown: MarkdownIt): void {
  markdown.core.ruler.push('shorten outline', ({ tokens }) => {
    tokens.forEach(({ type, tag }, index) => {
      const name = tokens[index + 1]?.children?.[0];
      const [, owner, member] = /^(\w+\.)(\w+)$/.exec(name?.content ?? '') ?? [];
      if (!name || !owner || type !== 'heading_open' || tag !== 'h4') return;
      Object.assign(name, { type: 'html_inline', content: `<span class="ignore-header">${owner}</span>${member}` });
    });
  });
}

/** Puts a button "Run" below the examples that run in a page. */
function addRunButtons(markdown: MarkdownIt): void {
  markdown.core.ruler.push('run examples', (state) => {
    const { env } = state;
    const path = relative(root, env.realPath ?? env.path ?? root).replaceAll('\\', '/');
    const fences = state.tokens.flatMap((token) => {
      const [language, ...marks] = token.type === 'fence' ? token.info.trim().split(/\s+/) : [];
      return language === 'ts' ? [{ token, code: token.content, marks }] : [];
    });
    for (const { token, code } of runnable(path, fences)) {
      const button = Object.assign(new state.Token('html_block', '', 0), { content: runButton(code) });
      state.tokens.splice(state.tokens.indexOf(token) + 1, 0, button);
    }
  });
}

/** The classes of cells that begin with whether something passes. */
const marks: Readonly<Record<string, string>> = { '✓': 'passes', '✗': 'fails' };

/** Gives each cell of a table the title of its column, which the style sheet shows where the table is stacked. */
function labelCells(markdown: MarkdownIt): void {
  markdown.core.ruler.push('label cells', ({ tokens }) => {
    let columns: string[] = [];
    let column = 0;
    tokens.forEach((token, index) => {
      const { type } = token;
      if (type === 'table_open') columns = [];
      if (type === 'th_open') columns.push(titleOf(tokens, index));
      if (type === 'tr_open') column = 0;
      if (type !== 'td_open') return;
      token.attrSet('data-column', columns[column++] ?? '');
      const mark = marks[tokens[index + 1]?.content.charAt(0) ?? ''];
      if (mark) token.attrSet('class', mark);
    });
  });
}

/** Returns the title of a column. The empty cell above the titles of the rows is no title. */
function titleOf(tokens: readonly Token[], index: number): string {
  const [open, title, close] = tokens.slice(index, index + 3);
  if (title?.content) return title.content;
  for (const token of [open, close]) if (token) token.tag = 'td';
  return '';
}

/** Points each link to the page of its target. A link to a file that the site does not include becomes plain text. */
function rewriteLinks(markdown: MarkdownIt): void {
  markdown.core.ruler.push('rewrite links', ({ tokens, env }) => {
    const from = relative(root, env.realPath ?? env.path ?? root).replaceAll('\\', '/');
    for (const { children } of tokens) rewrite(children ?? [], from);
  });
}

function rewrite(tokens: readonly Token[], from: string): void {
  let isDropped = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = addressOf(token.attrGet('href') ?? '', from);
      isDropped = address === undefined;
      if (address !== undefined) token.attrSet('href', address);
      // The permalink of a heading that is a link has the Markdown of the heading in its name.
      const label = token.attrGet('aria-label')?.replace(/\[([^\]]+)\]\([^)]*\)/, '$1');
      if (label !== undefined) token.attrSet('aria-label', label);
    }
    if (isDropped && token.type.startsWith('link_')) Object.assign(token, { type: 'text', content: '' });
  }
}

/** Words that people look for, by the guide that has the answer in other words. */
const alsoFoundBy: Readonly<Record<string, string>> = {
  'docs/guide/frameworks.md':
    'express, express.js, express webhook, express middleware, fastify, next.js, nextjs, nest, nestjs, nest.js, koa, hono, cloudflare, cloudflare workers, workers, lambda, aws lambda, serverless',
  'docs/upgrade.md':
    'upgrade, upgrading, migrate, migrating, breaking, breaking change, breaking changes, update, new version, deprecated',
  'docs/guide/primeros-pasos.md': 'instalación, instalar, español, comenzar',
  'docs/guide/primeiros-passos.md': 'instalação, instalar, português, começar',
  'docs/guide/contact-metrics.md': 'see phone, phone clicks, statistics',
  'docs/guide/connect-sellers.md':
    '401, unauthorized, token expired, invalid token, authentication, login, refresh token, multiple sellers',
  'docs/guide/pagination.md': 'next page, offset, scroll, all results',
  'docs/guide/getting-started.md':
    'typescript error, type error, compile error, install, quick start, typescript types, import error, esm require, require',
  'docs/guide/errors.md':
    'lost response, no response, response lost, exception, error code, retry, retrying, backoff, idempotency, idempotent, idempotency key, timeout, timeouts, deadline, cancel, cancel request, abort, abort request, throttling, circuit breaker, outage',
  'docs/guide/notifications.md':
    'webhook, webhooks, webhook lost, lost webhook, polling, webhook signature, verify webhook, inbox, dead letter, dead letters, replay, crash, redis, postgres, pgbouncer, pooler, kubernetes, scale, two processes, worker process, kafka, rabbitmq, sqs',
  'docs/guide/observability.md': 'prometheus, datadog, grafana, sentry, opentelemetry, logs, debug',
  'docs/guide/after-a-sale.md':
    'sale, sales, new sale, order, orders, orders_v2, sold, outbox, send twice, sent twice, duplicate message, exactly once, job queue, invoice, factura, enviar factura, nota fiscal, enviar nota fiscal',
  'docs/guide/questions.md': 'unanswered count, unanswered, count questions, faq',
  'docs/guide/messages.md': 'chat, buyer message, unread count, upload, download, attachment, file, files, pdf',
  'docs/guide/performance.md': 'bundle size, memory',
  'docs/guide/proxy.md': 'proxies, HTTP_PROXY, firewall, certificate, self-signed, node-fetch, undici',
  'docs/guide/tools.md': 'mcp, ai, llm, claude, chatgpt, agent, openai, cli, command line, check',
  'docs/guide/testing.md':
    'mock, sandbox, sandbox account, vitest, jest, unit test, python, java, go, php, ruby, docker, fake server',
};

const unsearched = [
  'docs/index.md',
  'docs/es.md',
  'docs/pt.md',
  'docs/README.md',
  'CHANGELOG.md',
  'bench/results.md',
  'bench/faults.md',
];

/** Returns the text for the search index. Lists of pages would rank before the pages, and tables of figures match many words. */
function searched(source: string, page: { relativePath: string }, markdown: MarkdownIt): string {
  const { relativePath } = page;
  if (unsearched.includes(relativePath)) return '';
  // Said several times, they count for more than a mention in passing on another page.
  const words = `\n\n${alsoFoundBy[relativePath] ?? ''}`.repeat(4);
  return markdown.render(source.replace(/^# .+$/m, `$&${words}`), page);
}

/** Short words are searched as they are: "lost" is not "cost". The site calls it in the browser, so it uses nothing else. */
function fuzziness(word: string): number | false {
  return word.length > 5 ? 0.2 : false;
}

/** The site calls it in the browser, so it uses nothing else. */
function rankOf(path: string, term: string): number {
  // The place of an error class, before the guides that mention it.
  if (term.endsWith('error') && path.endsWith(`#${term}`)) return 5;
  if (/\/guide\/|\/upgrade\b/.test(path)) return 3;
  // An error with a page of its own, before its place in the list of all.
  if (/\/errors\/[A-Z]/.test(path)) return 2;
  return /\/(reference|errors)\//.test(path) ? 1 : 0.5;
}

function publish(file: string, folder: string): void {
  const to = join(folder, file);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, file), to);
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
