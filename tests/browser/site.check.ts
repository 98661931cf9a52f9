import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type * as Axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.ts';

const site = join(import.meta.dirname, '../../.site');
const isBuilt = existsSync(join(site, 'index.html'));
if (!isBuilt) console.warn('NOT RUN: the tests of the documentation site, because it is not built; run `npm run docs`');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let server: Server;
let url: string;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  // A host that knows nothing of this site: a path is a file.
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const file = join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (chromiumPath !== undefined)
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
});
afterAll(async () => {
  if (chromiumPath !== undefined) await browser.close();
  server.close();
});
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

/** The address of a page, or of a heading in it. That of a folder has no ending. */
function addressOf(page: string): RegExp {
  return new RegExp(`^${page}(\\.html)?(#|$)`);
}

async function opened(path: string, width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme });
  // It only ends what hangs.
  page.setDefaultTimeout(600_000);
  page.on('pageerror', (error) => void complaints.push(`${path}: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${path} leads to ${response.url()}: ${response.status()}`);
  });
  await page.goto(url + path, { waitUntil: 'networkidle' });
  return page;
}

async function search(page: Page, words: string): Promise<void> {
  await openSearch(page);
  await page.locator('#localsearch-input').fill(words);
}

/** On a busy machine, the page listens to its keys only some time after it is shown. */
async function openSearch(page: Page): Promise<void> {
  const input = page.locator('#localsearch-input');
  const pressed = async (): Promise<boolean> => {
    if (!(await input.isVisible())) await page.keyboard.press('Control+k');
    return input.isVisible();
  };
  await expect.poll(pressed, { interval: 500 }).toBe(true);
}

/** Where the results of the search lead, best first. */
function results(page: Page): Promise<(string | null)[]> {
  return page
    .locator('.VPLocalSearchBox .result')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
}

/** What axe complains about, by one rule, or by all with these changes. */
function violations(page: Page, rules: 'color-contrast' | Axe.RuleObject): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof Axe };
    const some: Axe.RunOptions = typeof rules === 'string' ? { runOnly: rules } : { rules };
    const { violations } = await axe.run(document, { resultTypes: ['violations'], ...some });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
  }, rules);
}

/** The page itself, or parts of it, where they scroll sideways. */
function wideParts(page: Page, parts: string): Promise<string[]> {
  return page.evaluate((parts) => {
    const checked = [document.documentElement, ...document.querySelectorAll(`:is(${parts}):not([hidden] *)`)];
    return checked
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((part) => `${part.tagName} ${part.scrollWidth - part.clientWidth} pixels too wide`);
  }, parts);
}

/** The identifiers, and calls such as `start()`, that stand on two lines, in tables and in prose. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.vp-doc :not(pre) > code')]
      .flatMap(({ childNodes }) => [...childNodes].filter((node) => node instanceof Text))
      .flatMap((text) =>
        [...text.data.matchAll(/\w+(\(\))?/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [`${word} is broken`] : [];
        }),
      ),
  );
}

/** Where the sidebar is narrower than its entries need, or the navigation touches the edge of the screen. */
function closeToEdges(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const isShown = (part: Element): boolean => part.getClientRects().length > 0 && part.checkVisibility();
    const sidebar = document.querySelector('.VPSidebar');
    const nav = sidebar?.querySelector('.nav');
    if (sidebar && nav && window.innerWidth >= 960 && nav.getBoundingClientRect().width < 206)
      faults.push(`the sidebar has ${Math.round(nav.getBoundingClientRect().width)} pixels`);
    for (const part of document.querySelectorAll('.VPNavBar :is(a, button)')) {
      const { left, right } = part.getBoundingClientRect();
      const isAway = left >= 8 && right <= window.innerWidth - 8;
      if (isShown(part) && right > left && !isAway)
        faults.push(`${part.textContent.trim() || part.className} touches the edge`);
    }
    return faults;
  });
}

/** The entries of the outline that are cut off at its edge. */
function cutNames(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const right = document.querySelector('.aside-container')?.getBoundingClientRect().right ?? Infinity;
    return [...document.querySelectorAll('.VPDocAsideOutline .outline-link')].flatMap((link) => {
      const range = document.createRange();
      range.selectNodeContents(link);
      return range.getBoundingClientRect().right > right ? [`${link.textContent} is cut off`] : [];
    });
  });
}

const names = isBuilt ? readdirSync(site, { recursive: true, encoding: 'utf8' }) : [];
const pages = new Map(
  names
    .filter((name) => name.endsWith('.html'))
    .map((name) => [`/${name.replaceAll('\\', '/')}`, readFileSync(join(site, name), 'utf8')]),
);

/** Where a link of a page leads: a path of this site and an anchor on it; nothing where it leaves the site. */
function targetOf(link: string, from: string): { path: string; anchor: string } | undefined {
  const { origin, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://site${from}`);
  if (origin !== 'http://site') return undefined;
  return { path: pathname.replace(/\/$/, '/index.html'), anchor: decodeURIComponent(hash.slice(1)) };
}

function leads({ path, anchor }: { path: string; anchor: string }): boolean {
  const page = pages.get(path);
  if (page === undefined) return existsSync(join(site, path));
  return anchor === '' || page.includes(`id="${anchor}"`);
}

function linksIn(html: string): string[] {
  return Array.from(html.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g), ([, href = '']) => href);
}

describe.skipIf(!isBuilt)('the documentation site', () => {
  test('the site has one page per guide, resource, error class and example', () => {
    const paths = [
      '/guide/getting-started.html',
      '/guide/migration.html',
      '/reference/flex.html',
      '/examples/day/sale.html',
    ];
    expect([...pages.keys()]).toEqual(expect.arrayContaining(paths));
    expect([...pages.keys()].filter((path) => path.startsWith('/errors/')).length).toBe(5);
  });

  test('no link of a page or sidebar is dead', () => {
    const broken = [...pages].flatMap(([from, html]) => {
      const targets = linksIn(html).map((link) => ({ link, target: targetOf(link, from) }));
      return targets.filter(({ target }) => target && !leads(target)).map(({ link }) => `${from}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  test('no page shows a link as Markdown', () => {
    const texts = [...pages].map(([path, html]) => [path, html.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '')] as const);
    expect(texts.filter(([, text]) => /\]\([\w./#-]+\)/.test(text)).map(([path]) => path)).toEqual([]);
  });

  test('the links of llms.txt lead to Markdown files', () => {
    const links = [...readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)];
    expect(links.length).toBeGreaterThan(15);
    expect(links.filter(([, path = '']) => !existsSync(join(site, path)))).toEqual([]);
  });
});

describe.skipIf(chromiumPath === undefined || !isBuilt)('the documentation site in Chromium', () => {
  // Each page is opened once per screen. Contrast depends on the colours alone, everything else on the width.
  test.each([
    [390, 'light', { 'color-contrast': { enabled: false } }, 'table, .first pre, .terminal pre'],
    [1280, 'light', {}, 'table, pre'],
    [1280, 'dark', 'color-contrast', 'table, pre'],
  ] as const)(
    'on a screen of %i pixels, %s, axe finds nothing, nothing is too wide and no identifier breaks',
    async (width, colorScheme, rules, parts) => {
      const page = await opened('/', width, colorScheme);
      const found: string[] = [];
      for (const path of pages.keys()) {
        await page.goto(url + path, { waitUntil: 'load' });
        await page.evaluate(axe);
        const shown = [await wideParts(page, parts), await brokenWords(page), await cutNames(page)];
        const faults = [await violations(page, rules), ...shown].flat();
        found.push(...faults.map((fault) => `${path}: ${fault}`));
      }
      expect(found).toEqual([]);
      await page.close();
    },
  );

  test.each([
    ['webhook', '/guide/notifications'],
    ['polling', '/guide/notifications'],
    ['express', '/guide/frameworks'],
    ['dead letter', '/guide/notifications'],
    ['pagination', '/guide/pagination'],
    ['concurrency', '/guide/pagination'],
    ['mock', '/guide/testing'],
    ['vitest', '/guide/testing'],
    ['jest', '/guide/testing'],
    ['sandbox', '/guide/testing'],
    ['python', '/guide/testing'],
    ['retry', '/guide/errors'],
    ['backoff', '/guide/errors'],
    ['rate limit', '/guide/errors'],
    ['timeout', '/errors/'],
    ['429', '/errors/'],
    ['typescript types', '/guide/getting-started'],
    ['commonjs', '/guide/getting-started'],
    ['oauth', '/guide/connect-sellers'],
    ['login', '/guide/connect-sellers'],
    ['refresh token', '/guide/connect-sellers'],
    ['multiple sellers', '/guide/connect-sellers'],
    ['upload', '/guide/messages'],
    ['attachment', '/guide/messages'],
    ['unread', '/guide/messages'],
    ['logging', '/guide/observability'],
    ['proxy', '/guide/proxy'],
    ['bundle size', '/guide/performance'],
  ])('the search for "%s" finds %s', async (words, target) => {
    const page = await opened('/', 1280);
    await search(page, words);
    await expect.poll(() => results(page)).toContainEqual(expect.stringMatching(addressOf(target)));
    await page.close();
  });

  test.each([320, 390, 768, 940, 1024, 1280, 1440, 1536, 1920])(
    'on a screen of %i pixels nothing is too wide, and sidebar and navigation keep their distance to the edge',
    async (width) => {
      const page = await opened('/', width);
      const found: string[] = [];
      for (const path of [
        '/',
        '/es.html',
        '/pt.html',
        '/guide/errors.html',
        '/reference/questions.html',
        '/errors/',
        '/examples/',
      ]) {
        await page.goto(url + path, { waitUntil: 'load' });
        found.push(
          ...[...(await wideParts(page, 'table')), ...(await closeToEdges(page))].map((fault) => `${path}: ${fault}`),
        );
      }
      expect(found).toEqual([]);
      await page.close();
    },
  );

  test('no page scrolls sideways, on any screen from 320 to 1920 pixels', async () => {
    const page = await opened('/404.html', 1920);
    const found: string[] = [];
    for (const path of pages.keys()) {
      const widths = await page.evaluate(async (path) => {
        // A frame is a screen of its own, whose width changes without another load.
        const frame = Object.assign(document.createElement('iframe'), { src: path });
        frame.style.cssText = 'position: fixed; inset: 0; height: 844px; border: 0';
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener('load', resolve));
        const root = frame.contentDocument?.documentElement;
        // Programs of the page put the navigation in its place.
        while (!root?.querySelector('.VPNavBar, .not-found')) await new Promise((resolve) => setTimeout(resolve, 10));
        const wide: string[] = [];
        for (let width = 320; width <= 1920; width += 20) {
          frame.style.width = `${width}px`;
          const beyond = root.scrollWidth - root.clientWidth;
          if (root.clientWidth !== width || beyond > 0) wide.push(`${width}: ${beyond} pixels too wide`);
        }
        frame.remove();
        return wide;
      }, path);
      found.push(...widths.map((each) => `${path} at ${each}`));
    }
    expect(found).toEqual([]);
    await page.close();
  });

  test.each([320, 390, 780, 940])('on a screen of %i pixels the menu has what does not fit', async (width) => {
    const page = await opened('/guide/errors.html', width);
    expect(await page.locator('.VPNavBar .VPNavBarMenu').isVisible()).toBe(false);
    await page.locator('.VPNavBarHamburger').click();
    const menu = page.locator('.VPNavScreen');
    await menu.locator('a', { hasText: 'Reference' }).waitFor();
    expect(await menu.locator('.VPSwitchAppearance').isVisible()).toBe(true);
    expect(await wideParts(page, '.VPNavScreen')).toEqual([]);
    await menu.locator('a', { hasText: 'Examples' }).click();
    await page.waitForURL(/\/examples\//);
    await page.close();
  });

  test.each([
    [1440, 900],
    [390, 844],
  ])(
    'the first screen of %i x %i shows what it is, a program, the way of a question, and four things',
    async (width, height) => {
      for (const path of ['/', '/es.html', '/pt.html']) {
        const page = await opened(path, width);
        await page.setViewportSize({ width, height });
        const parts = ['h1', '.what strong', '.actions', '.languages', '.how pre', '.way', '.things li:last-child'];
        for (const part of parts) {
          const box = await page.locator(`.first ${part}`).boundingBox();
          expect((box?.y ?? Infinity) + (box?.height ?? 0), `${path} ${part}`).toBeLessThanOrEqual(height);
        }
        const program = await page.locator('.how pre').innerText();
        expect(program.split('\n').filter((line) => line.trim() !== '')).toHaveLength(8);
        expect(await page.locator('.things li').count()).toBe(4);
        // One button, and no text but words: no dot between links.
        const filled = await page
          .locator('.first a')
          .evaluateAll(
            (links) => links.filter((link) => getComputedStyle(link).backgroundColor !== 'rgba(0, 0, 0, 0)').length,
          );
        expect(filled).toBe(1);
        expect(await page.locator('.first').innerText()).not.toContain('·');
        // Its texts are never wider than their boxes.
        const tight = await page.locator('.way g').evaluateAll((groups) =>
          groups.flatMap((group) => {
            const room = group.querySelector('rect')!.getBoundingClientRect().width;
            return [...group.querySelectorAll('text')]
              .filter((text) => text.getBoundingClientRect().width > room - 4)
              .map((text) => text.textContent);
          }),
        );
        expect(tight).toEqual([]);
        await page.close();
      }
    },
  );

  test.each([
    ['timeout', '/guide/errors'],
    ['cancel request', '/guide/errors'],
    ['next.js', '/guide/frameworks'],
    ['nestjs', '/guide/frameworks'],
    ['express', '/guide/frameworks'],
    ['cloudflare', '/guide/frameworks'],
    ['typescript error', '/guide/getting-started'],
    ['unanswered count', '/guide/questions'],
    ['prometheus', '/guide/observability'],
    ['sale', '/guide/after-a-sale'],
    ['orders', '/guide/after-a-sale'],
    ['sentry', '/guide/observability'],
    ['lambda', '/guide/frameworks'],
    ['redis', '/guide/notifications'],
    ['postgres', '/guide/notifications'],
    ['grafana', '/guide/observability'],
    ['mcp', '/guide/tools'],
    ['llm', '/guide/tools'],
    ['mock', '/guide/testing'],
    ['abort request', '/guide/errors'],
    ['deadline', '/guide/errors'],
    ['invoice', '/guide/after-a-sale'],
    ['chat', '/guide/messages'],
    ['fastify', '/guide/frameworks'],
    ['exactly once', '/guide/after-a-sale'],
    ['lost response', '/guide/errors'],
    ['retry', '/guide/errors'],
    ['webhook lost', '/guide/notifications'],
    ['send twice', '/guide/after-a-sale'],
    ['idempotency', '/guide/errors'],
    ['proxy', '/guide/proxy'],
    ['next page', '/guide/pagination'],
    ['401', '/guide/connect-sellers'],
    ['upgrade', '/upgrade'],
    ['migrate', '/upgrade'],
    ['breaking', '/upgrade'],
    ['pgbouncer', '/guide/notifications'],
    ['enviar factura', '/guide/after-a-sale'],
    ['instalação', '/guide/primeiros-passos'],
    ['verify webhook', '/guide/notifications'],
    ['see phone', '/guide/contact-metrics'],
    ['kafka', '/guide/notifications'],
    ['java', '/guide/testing'],
    ['circuit breaker', '/guide/errors'],
    ['QuestionNotOpenError', '/errors/'],
    ['OutcomeUnknownError', '/errors/OutcomeUnknownError'],
  ])('the search for "%s" finds %s first', async (words, target) => {
    const page = await opened('/', 1280);
    await search(page, words);
    await expect.poll(async () => (await results(page))[0]).toMatch(addressOf(target));
    await page.close();
  });

  test('the first page shows a lost write that is found again, and loads the fake only when that is run', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await opened('/', 390, colorScheme);
      const loaded: string[] = [];
      page.on('request', (request) => void loaded.push(request.url()));
      const sizes = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      expect(sizes.filter((name) => name.includes('playground'))).toEqual([]);
      await page.locator('.live.lost .run button').click();
      await page.locator('.live.lost .run.ended').waitFor();
      expect(await page.locator('.live.lost .run pre').innerText()).toBe(
        'Nobody knows whether it was sent.\nIt was. Do not send it again.',
      );
      const requests = await page.locator('.live.lost .run li').allInnerTexts();
      expect(requests).toEqual(['POST /answers connection lost', expect.stringMatching(/^GET \/questions\/\d+ 200$/)]);
      // All it loads is of this site.
      expect(loaded.filter((each) => !each.startsWith(url))).toEqual([]);
      await page.evaluate(axe);
      expect(await violations(page, {})).toEqual([]);
      expect(await wideParts(page, '.run')).toEqual([]);
      await page.close();
    }
  });

  test.each([
    ['/es.html', 'Nadie sabe si se envió.\nSe envió. No lo envíe otra vez.'],
    ['/pt.html', 'Ninguém sabe se foi enviado.\nFoi. Não envie de novo.'],
  ])('the first page shows the lost write in another language too: %s', async (path, said) => {
    const page = await opened('/', 390);
    await page.locator(`.languages a[href="${path}"]`).click();
    await page.locator('.live.lost .run button').click();
    await page.locator('.live.lost .run.ended').waitFor();
    expect(await page.locator('.live.lost .run pre').innerText()).toBe(said);
    expect(await wideParts(page, '.run, .first pre')).toEqual([]);
    await page.close();
  });

  test('the first page shows a bad day of a bot by its seed, and another day by another one', async () => {
    const page = await opened('/', 390);
    const day = page.locator('.live.day .run');
    const shown = new Map<string, string[]>();
    for (const seed of ['17', '17', '4']) {
      await day.locator('input').fill(seed);
      await day.locator('button').click();
      await day.locator('pre').filter({ hasText: '3 answers' }).waitFor();
      await page.locator('.live.day .run.ended').waitFor();
      const answers = await day.locator('li', { hasText: 'POST /answers' }).allInnerTexts();
      expect(answers.filter((each) => each.endsWith(' 400'))).toEqual([]);
      shown.set(seed, answers);
    }
    expect(shown.get('17')?.join()).toMatch(/lost|503/);
    expect(shown.get('4')).not.toEqual(shown.get('17'));
    await page.evaluate(axe);
    expect(await violations(page, {})).toEqual([]);
    expect(await wideParts(page, '.run')).toEqual([]);
    await page.close();
  });

  test('the example that a guide begins with runs in its page', async () => {
    const page = await opened('/', 1280);
    const withRun = [...pages].filter(([, html]) => html.includes('class="run new"')).map(([path]) => path);
    expect(withRun.length).toBeGreaterThan(17);
    for (const path of withRun) {
      await page.goto(url + path, { waitUntil: 'load' });
      await page.locator('.run button').first().click();
      const ended = page.locator('.run.ended').first();
      await ended.waitFor();
      const shown = await ended.locator('pre, li').allInnerTexts();
      expect(shown.join('\n'), path).toMatch(/\S/);
      expect(await ended.getAttribute('class'), `${path}: ${shown.join(' ')}`).not.toContain('failed');
    }
    await page.close();
  });

  test('the page of an unknown address leads to the documents', async () => {
    const page = await opened('/404.html', 390);
    await page.locator('main a', { hasText: 'Reference' }).click();
    await page.waitForURL(/\/reference\//);
    await page.close();
  });

  test('figures are not found by the search', async () => {
    const index = names.find((name) => name.includes('localSearchIndex')) ?? '';
    expect(readFileSync(join(site, index), 'utf8')).not.toContain('/bench/');
  });

  test.each(['/reference/questions.html', '/errors/NoChannelError.html', '/guide/testing.html'])(
    'the sidebar opens at %s',
    async (path) => {
      const page = await opened(path, 1280);
      const active = page.locator('.VPSidebarItem.is-active > .item').first();
      await expect
        .poll(() =>
          active.evaluate((item) => {
            const { top, bottom } = item.getBoundingClientRect();
            return top > 0 && bottom < window.innerHeight;
          }),
        )
        .toBe(true);
      await page.close();
    },
  );

  test('the link of the version names the changelog', async () => {
    const page = await opened('/', 1280);
    const link = page.locator('nav a', { hasText: /^Version \d+\.\d+\.\d+/ }).first();
    expect(await link.getAttribute('href')).toBe('/changelog.html');
    await page.close();
  });

  test.each([390, 1280])('the search finds an error class by keyboard on a screen of %i pixels', async (width) => {
    const page = await opened('/', width);
    await openSearch(page);
    await page.keyboard.type('OutcomeUnknownError');
    // Enter opens the first result, which changes while one types.
    await expect.poll(async () => (await results(page))[0]).toMatch(/^\/errors\/OutcomeUnknownError\./);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/errors\/OutcomeUnknownError/);
    await page.locator('h1', { hasText: 'OutcomeUnknownError' }).waitFor();
    await page.close();
  });

  test('each section appears in the sidebar', async () => {
    for (const [path, text] of [
      ['/guide/getting-started.html', 'Read lists'],
      ['/examples/', 'A lost response'],
      ['/reference/', 'Action guide'],
      ['/errors/', 'RateLimitError'],
      ['/decisions/', 'Why do pages overlap?'],
    ] as const) {
      const page = await opened(path, 1280);
      expect(await page.locator('.VPSidebar').getByText(text, { exact: true }).isVisible()).toBe(true);
      await page.close();
    }
  });
});
