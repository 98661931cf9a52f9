import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.ts';
import { running } from '../support/serving.ts';
import type { Serving } from '../support/serving.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

let browser: Browser;
const open: Serving[] = [];
const pages: Page[] = [];
const consoleErrors: string[] = [];
beforeAll(async () => {
  if (chromiumPath !== undefined)
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
}, 60_000);
afterAll(async () => {
  if (chromiumPath !== undefined) await browser.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  for (const serving of open.splice(0)) await serving.end();
  expect(consoleErrors.splice(0)).toEqual([]);
});

async function opened(viewport = desktop, ...args: string[]): Promise<{ page: Page; url: string }> {
  const serving = running('fake', '--port', '0', '--quiet', ...args);
  open.push(serving);
  const url = await serving.url();
  const page = await browser.newPage({ viewport });
  pages.push(page);
  page.setDefaultTimeout(10_000);
  page.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => void consoleErrors.push(error.message));
  await page.goto(url);
  await page.getByText('Live', { exact: true }).waitFor();
  return { page, url };
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 80; press += 1) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      const { labels } = element as HTMLInputElement;
      return element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent;
    });
    if (name.test(label)) return;
  }
  throw new Error(`Tab does not reach ${String(name)}`);
}

async function chooseTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
}

/** The horizontal overflow of the page, in pixels. */
async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

const sizes = [
  ['a phone', phone],
  ['a desktop', desktop],
] as const;

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  describe.each(sizes)('the dashboard on %s', (_name, viewport) => {
    test('the first Tab lands on the skip link', async () => {
      const { page } = await opened(viewport);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    });

    test('no part of the dashboard is wider than the screen', async () => {
      const { page, url } = await opened(viewport);
      const path = `/questions/search?seller_id=1001&q=${'x'.repeat(300)}`;
      await fetch(url + path);
      await page.locator('#request-list li').waitFor({ state: 'attached' });
      for (const tab of await page.getByRole('tab').all()) {
        if (!(await tab.isVisible())) continue;
        await tab.click();
        expect([await tab.textContent(), await overflow(page)]).toEqual([await tab.textContent(), 0]);
      }
    });

    test('a buyer asks and a seller answers with the keyboard alone', async () => {
      const { page } = await opened(viewport);
      await tabTo(page, /^(Requests|Questions)$/);
      if (viewport === phone) await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Questions');
      await tabTo(page, /^Question /);
      await page.keyboard.type('Does it float? <img src=x onerror=alert(1)>');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const card = page.getByRole('article').first();
      await card.getByText('Does it float? <img src=x onerror=alert(1)>').waitFor();
      await tabTo(page, /^Answer question \d+ as MATE_AND_CO$/);
      await page.keyboard.type('Like a cork.');
      await page.keyboard.press('Enter');
      await card.getByText('Like a cork.').waitFor();
      expect(await card.getByText('answered', { exact: true }).count()).toBe(1);
    });

    test('a request appears while it is in progress, with both bodies', async () => {
      const { page, url } = await opened(viewport, '--faults', 'delayMs=600');
      const slow = fetch(`${url}/currencies/ARS`);
      const row = page.locator('#request-list li').first();
      await row.getByText('waiting').waitFor();
      await slow;
      await row.getByText('200').waitFor();
      await row.locator('summary').press('Enter');
      expect(await row.locator('pre').last().textContent()).toContain('"symbol": "$"');
      expect(await row.locator('dl').textContent()).toContain('currencies.get');
    });
  });

  describe('the dashboard', () => {
    test('an injected fault fails one request of the program under test', async () => {
      const { page, url } = await opened();
      await tabTo(page, /^Questions$/);
      for (const name of ['Conversations', 'Items & Flex', 'Faults']) {
        await page.keyboard.press('ArrowRight');
        expect(await page.getByRole('tab', { selected: true }).textContent()).toBe(name);
      }
      await tabTo(page, /^503/);
      await page.keyboard.press('ArrowDown');
      await page.getByRole('combobox', { name: 'To' }).selectOption('currencies.list');
      await tabTo(page, /^Inject$/);
      await page.keyboard.press('Enter');
      await page.getByText('1 fault pending').waitFor();
      await page.locator('#fault-list').getByText('429 on currencies.list').waitFor();
      const responses = [
        await fetch(`${url}/currencies/ARS`),
        await fetch(`${url}/currencies`),
        await fetch(`${url}/currencies`),
      ];
      expect(responses.map(({ status }) => status)).toEqual([200, 429, 200]);
      expect(responses[1]?.headers.get('retry-after')).toBe('2');
      await page.getByText('No pending faults.').waitFor();
    });

    test('a conversation updates live without losing a draft, and can be blocked and unblocked', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Conversations');
      const conversation = page.getByRole('article', { name: 'Conversation of pack 2000000000000001' });
      const input = conversation.getByLabel('Message in pack');
      await input.fill('Half a sente');
      await fetch(`${url}/messages/packs/2000000000000001/sellers/1001?tag=post_sale`, {
        method: 'POST',
        headers: { authorization: 'Bearer SELLER-TOKEN', 'content-type': 'application/json' },
        body: JSON.stringify({ from: { user_id: 1001 }, to: { user_id: 1002 }, text: 'It is at your door.' }),
      });
      await conversation.getByText('It is at your door.').waitFor();
      expect(await input.inputValue()).toBe('Half a sente');
      await input.fill('Thank you!');
      await input.press('Enter');
      await conversation.getByText('Thank you!').waitFor();
      await conversation.getByLabel('Reason of the block').selectOption('blocked_by_time');
      await conversation.getByRole('button', { name: 'Block' }).click();
      await conversation.getByText('blocked by time').waitFor();
      await conversation.getByRole('button', { name: 'Unblock' }).click();
      await conversation.getByText('open', { exact: true }).waitFor();
    });

    test('items are enabled for Flex and change their status', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Items & Flex');
      const toggle = page.getByRole('switch', { name: 'Flex for Bombilla' });
      expect(await toggle.getAttribute('aria-checked')).toBe('false');
      await toggle.press('Space');
      await page.getByText('Flex enabled').waitFor();
      await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true');
      const headers = { authorization: 'Bearer SELLER-TOKEN' };
      const check = await fetch(`${url}/sites/MLA/shipping/selfservice/items/MLA600000002`, { headers });
      expect(check.status).toBe(204);
    });

    test('the request log is filtered by text and by class of status', async () => {
      const { page, url } = await opened();
      for (const path of ['/currencies', '/nowhere', '/currencies/ARS']) await (await fetch(url + path)).text();
      const rows = page.locator('#request-list li:not([hidden])');
      await expect.poll(() => rows.count()).toBe(3);
      const filter = page.getByLabel('Show only requests with');
      await filter.fill('currencies ars');
      expect(await rows.count()).toBe(1);
      await filter.fill('4xx');
      expect(await rows.allTextContents()).toEqual([expect.stringContaining('/nowhere')]);
      await filter.fill('');
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('No requests yet').waitFor();
    });

    test('the dashboard lists every user with a curl command, and resets the marketplace', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Connect');
      expect(await page.locator('#user-list').textContent()).toContain('SELLER-TOKEN');
      expect(await page.locator('#try').textContent()).toContain(`${url}/questions/search?seller_id=1001`);
      await fetch(`${url}/currencies`);
      await page.locator('#request-list li').first().waitFor();
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByText('No requests yet').waitFor();
    });

    test('an error of the controls is shown as a sentence', async () => {
      const { page } = await opened();
      await page.getByLabel('Question', { exact: true }).fill('   ');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByRole('status').getByText('`text` is empty').waitFor();
      // The browser logs every failed request.
      expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('400')]);
    });

    test('every control has a name, and light and dark themes have enough contrast', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await opened();
        await page.emulateMedia({ colorScheme });
        for (const tab of ['Questions', 'Conversations', 'Items & Flex', 'Faults', 'Connect']) {
          await chooseTab(page, tab);
          expect(await page.evaluate(controlsWithoutName)).toEqual([]);
          expect(await page.evaluate(textsWithLowContrast)).toEqual([]);
        }
      }
    });
  });
});

/** The visible controls without an accessible name. */
function controlsWithoutName(): string[] {
  const controls = [...document.querySelectorAll<HTMLElement>('button, input, select, textarea')];
  return controls
    .filter((control) => control.checkVisibility())
    .filter((control) => {
      const labels = (control as HTMLInputElement).labels ?? [];
      return !(control.getAttribute('aria-label') ?? labels[0]?.textContent ?? control.textContent).trim();
    })
    .map((control) => control.outerHTML);
}

/** The texts whose contrast with their background is below 4.5 to 1. */
function textsWithLowContrast(): string[] {
  const rgb = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = rgb(color).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    const color = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
    return element && rgb(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  const texts = [...document.querySelectorAll('main *, header *')].filter(
    (element) =>
      element.checkVisibility() &&
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ''),
  );
  return texts.flatMap((element) => {
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [`${contrast.toFixed(2)} ${element.outerHTML.slice(0, 80)}`] : [];
  });
}
