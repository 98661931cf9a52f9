import { copyFileSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { defineConfig } from 'vitepress';
import type { DefaultTheme, MarkdownRenderer } from 'vitepress';

const docs = join(import.meta.dirname, '..');

/** The list of contents in docs/README.md, heading by heading: the sidebar has its order and its names. */
function contents(): DefaultTheme.SidebarItem[] {
  const [, ...parts] = readFileSync(join(docs, 'README.md'), 'utf8').split(/^## /m);
  return parts.map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    items: linksIn(part).flatMap(({ text, link }) => {
      // A page that lists pages stands over them.
      const pages = link.endsWith('/README.md') ? linksIn(readFileSync(join(docs, link), 'utf8')) : [];
      const folder = posix.dirname(link);
      const items = pages.map((page) => ({ ...page, link: route(posix.join(folder, page.link)) }));
      return [{ text, link: route(link), ...(items.length > 0 && { items, collapsed: true }) }];
    }),
  }));
}

/** The links of a list or a table to pages of this site, each once. */
function linksIn(markdown: string): { text: string; link: string }[] {
  const found = Array.from(markdown.matchAll(/^(?: *- |## )\[([^\]]+)\]\(([\w./-]+\.md)\)/gm), ([, text, link]) => ({
    text: (text ?? '').replaceAll('`', ''),
    link: link ?? '',
  }));
  return found.filter(({ link }) => !link.startsWith('../'));
}

/** Where a page is on the site. */
function route(path: string): string {
  return `/${path.replace(/README\.md$/, '').replace(/\.md$/, '')}`;
}

/** A document may lead to the sources beside it: in a checkout that is a link, on the site it is text. */
function plainLinksOut(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('plain-links-out', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    for (const { children } of tokens) {
      let isOut = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isOut = leavesDocs(relativePath, token.attrGet('href') ?? '');
        if (!isOut || !token.type.startsWith('link_')) continue;
        token.tag = 'span';
        token.attrs = null;
      }
    }
  });
}

function leavesDocs(page: string, link: string): boolean {
  return /^\.\.?\//.test(link) && posix.join(posix.dirname(page), link).startsWith('../');
}

export default defineConfig({
  title: 'marketplace-seller-sdk',
  description: "The typed client of a marketplace's seller API, with a fake marketplace to test against",
  lang: 'en',
  cleanUrls: true,
  outDir: join(docs, '../.site'),
  cacheDir: join(docs, '../node_modules/.cache/vitepress'),
  srcExclude: ['.vitepress/**'],
  rewrites: { 'README.md': 'contents.md', ':folder/README.md': ':folder/index.md' },
  markdown: { config: plainLinksOut },
  buildEnd: ({ outDir }) => {
    copyFileSync(join(docs, 'openapi.json'), join(outDir, 'openapi.json'));
  },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    nav: [
      { text: 'Guide', link: '/guide/start', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Errors', link: '/errors/', activeMatch: '^/errors/' },
    ],
    sidebar: contents(),
    outline: { level: [2, 3] },
  },
});
