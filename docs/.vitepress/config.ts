// The documentation site. It is built from the documents where they stand: the repository is its source folder, so that
// a link between documents is right on a repository's page and on the site.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf, anchorOf, folded, pageOf, sidebarOf } from '../../tools/pages.ts';
import type { Entry } from '../../tools/pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b5c"/>' +
  '<path d="M9 9h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4H9a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z" fill="#fff"/></svg>';
const { version, description } = JSON.parse(read('package.json')) as { version: string; description: string };

// Not `defineConfig` of VitePress, which is installed only where the site is built: this file is checked everywhere.
export default {
  title: 'marketplace-seller-sdk',
  description,
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  srcDir: '..',
  srcExclude: [
    'node_modules/**',
    'dist/**',
    'coverage/**',
    'tests/**',
    'src/**',
    'tools/**',
    'bench/!(results).md',
    'README.md',
  ],
  outDir: '../.site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: (file: string) => pageOf(file) ?? file,
  markdown: { config: leadLinks, anchor: { slugify: anchorOf } },
  vite: { plugins: [{ name: 'vue beside the site', enforce: 'pre', resolveId: leaveVue }] },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guide/getting-started', activeMatch: '^/guide/' },
      { text: 'Examples', link: '/examples/', activeMatch: '^/examples/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Errors', link: '/errors/', activeMatch: '^/errors/' },
      { text: version, link: '/changelog' },
    ],
    sidebar: {
      '/': sidebar('docs/README.md', 2),
      '/examples/': sidebar('examples/README.md', 2),
      '/reference/': sidebar('docs/reference/README.md', 0),
      '/errors/': sidebar('docs/errors/README.md', 2),
      '/decisions/': sidebar('docs/decisions/README.md', 2),
    },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true, _render: searched } },
    externalLinkIcon: true,
  },
  // The folder of a page is a class of it: the style sheet knows a reference page by it.
  transformPageData: ({ relativePath, frontmatter }: { relativePath: string; frontmatter: object }) => ({
    frontmatter: { ...frontmatter, pageClass: dirname(relativePath) },
  }),
  // Documents and data stand on the site as they are, too: the links of llms.txt lead to them.
  buildEnd: ({ pages, outDir }: { pages: string[]; outDir: string }) => {
    const documents = pages.filter((page) => existsSync(join(root, page)));
    for (const file of ['llms.txt', 'README.md', 'docs/openapi.json', ...documents]) publish(file, outDir);
  },
};

function sidebar(file: string, unfolded: number): Entry[] {
  return folded(sidebarOf(read(file), file), unfolded);
}

/** Pages do not find Vue beside them, since it is installed beside this file; what renders them on the server does. */
function leaveVue(
  id: string,
  _importer: unknown,
  { ssr }: { ssr?: boolean },
): { id: string; external: true } | undefined {
  return ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined;
}

interface Token {
  type: string;
  children: Token[] | null;
  content: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface MarkdownIt {
  render(source: string, env: object): string;
  core: {
    ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { realPath?: string; path?: string } }) => void): void;
    };
  };
}

/** Leads each link to the page that its file has become; a link to what the site does not hold becomes plain text. */
function leadLinks(markdown: MarkdownIt): void {
  markdown.core.ruler.push('lead links', ({ tokens, env }) => {
    const from = relative(root, env.realPath ?? env.path ?? root).replaceAll('\\', '/');
    for (const { children } of tokens) lead(children ?? [], from);
  });
}

function lead(tokens: readonly Token[], from: string): void {
  let leadsNowhere = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = addressOf(token.attrGet('href') ?? '', from);
      leadsNowhere = address === undefined;
      if (address !== undefined) token.attrSet('href', address);
    }
    if (leadsNowhere && token.type.startsWith('link_')) Object.assign(token, { type: 'text', content: '' });
  }
}

/** The text that the search looks through: none of a page that only names the others, which would stand before them. */
function searched(source: string, page: { relativePath: string }, markdown: MarkdownIt): string {
  return ['docs/README.md', 'CHANGELOG.md'].includes(page.relativePath) ? '' : markdown.render(source, page);
}

function publish(file: string, folder: string): void {
  const to = join(folder, file);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, file), to);
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
