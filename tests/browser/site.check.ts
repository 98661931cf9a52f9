import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.ts';

const site = join(import.meta.dirname, '../../.site');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

let server: Server;
let url: string;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (name) => extname(name) && existsSync(join(site, name)),
    );
    if (file === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(join(site, file)));
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

async function opened(path: string, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 844 } });
  page.on('pageerror', (error) => void complaints.push(`${path}: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${path} leads to ${response.url()}: ${response.status()}`);
  });
  await page.goto(url + path, { waitUntil: 'networkidle' });
  return page;
}

/** Every page that the sidebar leads to. */
async function pathsOfSidebar(): Promise<string[]> {
  const page = await opened('/guide/start', 1280);
  const links = await page.locator('.VPSidebar a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  await page.close();
  return [...new Set(links.filter((link) => link !== null))];
}

describe.skipIf(chromiumPath === undefined)('the documentation site', () => {
  test('leads to every guide, resource and error class', async () => {
    const paths = await pathsOfSidebar();
    expect(paths).toEqual(expect.arrayContaining(['/guide/start', '/guide/migration', '/reference/flex']));
    expect(paths.filter((path) => path.startsWith('/errors/')).length).toBeGreaterThan(50);
    for (const path of paths) expect((await fetch(url + path)).status, path).toBe(200);
  });

  test.each([390, 1280])('fits a screen of %i pixels, page by page', async (width) => {
    const paths = (await pathsOfSidebar()).filter((path, index) => !path.startsWith('/errors/') || index % 10 === 0);
    for (const path of ['/', '/contents', ...paths]) {
      const page = await opened(path, width);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
      expect(await page.title(), path).not.toMatch(/404/);
      await page.close();
    }
  });

  test('is searched by keyboard', async () => {
    const page = await opened('/', 1280);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('OutcomeUnknownError');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/(errors|guide)\//);
    expect(await page.locator('main').innerText()).toContain('OutcomeUnknownError');
    await page.close();
  });

  test('does not link to what is not on it', async () => {
    const page = await opened('/guide/notifications', 1280);
    const links = await page.locator('main a').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
    expect(links.filter((link) => /examples\/|\/src\//.test(link))).toEqual([]);
    expect(await page.locator('main').innerText()).toContain('Express');
    await page.close();
  });
});
