import { source as axeSource } from 'axe-core';
import type { AxeResults } from 'axe-core';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.ts';
import { running } from '../support/serving.ts';
import type { Serving } from '../support/serving.ts';

const phone = { width: 390, height: 844 };
const tablet = { width: 1024, height: 768 };
const desktop = { width: 1280, height: 800 };

let browser: Browser;
const open: Serving[] = [];
const pages: Page[] = [];
const consoleErrors: string[] = [];
beforeAll(async () => {
  if (chromiumPath !== undefined)
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
});
afterAll(async () => {
  if (chromiumPath !== undefined) await browser.close();
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
  for (const serving of open.splice(0)) await serving.end();
  expect(consoleErrors.splice(0)).toEqual([]);
});

const controlToken = 'a-control-token-of-the-test';

/** Adds a seed. */
async function addSeed(url: string, seed: object): Promise<void> {
  const headers = { 'x-fake-token': controlToken };
  const response = await fetch(`${url}/__fake/seed`, { method: 'POST', headers, body: JSON.stringify(seed) });
  expect(response.status).toBe(200);
}

async function opened(viewport = desktop, ...args: string[]): Promise<{ page: Page; url: string }> {
  const serving = running('fake', '--port', '0', '--quiet', ...args);
  open.push(serving);
  const url = await serving.url();
  const page = await browser.newPage({ viewport });
  pages.push(page);
  page.setDefaultTimeout(120_000);
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

/** The texts of buttons and tabs that are wider than their box, or outside of the panel that they stand in. */
async function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button')]
      .filter((button) => button.offsetParent !== null && button.scrollWidth > button.clientWidth + 1)
      .map(({ textContent }) => textContent),
  );
}

const sizes = [
  ['a phone', phone],
  ['a small desktop', tablet],
  ['a desktop', desktop],
] as const;

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  describe.each(sizes)('the dashboard on %s', (_name, viewport) => {
    test('no part of the dashboard is wider than the screen', async () => {
      const { page, url } = await opened(viewport);
      const path = `/questions/search?seller_id=1001&q=${'x'.repeat(300)}`;
      await fetch(url + path);
      await page.locator('#request-list li').waitFor({ state: 'attached' });
      for (const tab of await page.getByRole('tab').all()) {
        if (!(await tab.isVisible())) continue;
        await tab.click();
        const name = await tab.textContent();
        expect([name, await overflow(page), await clipped(page)]).toEqual([name, 0, []]);
        const box = await tab.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
      }
    });
  });

  describe('the dashboard', () => {
    test('the first Tab lands on the skip link', async () => {
      const { page } = await opened();
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    });

    test.each([
      ['a phone', phone],
      ['a desktop', desktop],
    ])('a buyer asks and a seller answers with the keyboard alone, on %s', async (_name, viewport) => {
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
      const { page, url } = await opened(desktop, '--faults', 'delayMs=600');
      const row = page.locator('#request-list li').first();
      const seen: string[] = [];
      const waiting = row.getByText('waiting').waitFor();
      void waiting.then(() => seen.push('waiting'));
      // A busy machine may show one only when it is over.
      do await fetch(`${url}/currencies/ARS`);
      while (seen.length === 0);
      await waiting;
      await row.getByText('200', { exact: true }).waitFor();
      await row.locator('summary').press('Enter');
      expect(await row.locator('pre').last().textContent()).toContain('"symbol": "$"');
      expect(await row.locator('dl').textContent()).toContain('currencies.get');
    });

    test('an injected fault fails one request of the program under test', async () => {
      const { page, url } = await opened();
      await tabTo(page, /^Questions$/);
      for (const name of ['Conversations', 'Items & Flex', 'Notifications', 'Faults']) {
        await page.keyboard.press('ArrowRight');
        expect(await page.getByRole('tab', { selected: true }).textContent()).toBe(name);
      }
      await tabTo(page, /^503/);
      await page.keyboard.press('ArrowDown');
      await page.getByRole('combobox', { name: 'To' }).selectOption('currencies.list');
      await tabTo(page, /^Inject$/);
      await page.keyboard.press('Enter');
      await page.getByText('1 fault pending').waitFor();
      await page.locator('#fault-list').getByText('429, nothing done on currencies.list').waitFor();
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
      await filter.fill('/currencies/ars');
      await expect.poll(() => rows.count()).toBe(1);
      await filter.fill('4xx');
      await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('/nowhere')]);
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

    test('a row names the fault that hit it, where it was broken, and the rule of a 4xx; the filter searches bodies', async () => {
      const { page, url } = await opened(desktop, '--faults', 'reset=after endpoint=currencies.list');
      await fetch(`${url}/currencies`).catch(() => undefined);
      const send = (to: number, text: string): Promise<Response> =>
        fetch(`${url}/messages/packs/2000000000000001/sellers/1001?tag=post_sale`, {
          method: 'POST',
          headers: { authorization: 'Bearer SELLER-TOKEN', 'content-type': 'application/json' },
          body: JSON.stringify({ from: { user_id: 1001 }, to: { user_id: to }, text }).replace('í', String.raw`\u00ed`),
        });
      await send(1002, 'x'.repeat(351));
      await send(1002, 'Sí, claro.');
      const rows = page.locator('#request-list li:not([hidden])');
      await expect.poll(() => rows.count()).toBe(3);
      await rows.nth(2).getByText('Fault: connection breaks after acting').waitFor();
      expect(await rows.nth(2).textContent()).toContain('Connection ended before the response');
      await rows.nth(1).getByText('text longer than 350 characters').waitFor();
      expect(await rows.nth(0).locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
      await page.keyboard.press('/');
      await page.keyboard.type('sí,');
      await expect.poll(() => rows.count()).toBe(1);
      await page.keyboard.type(' nothing-like-this');
      await page.getByText('No entry contains this text.').waitFor();
    });

    test('the longest method does not touch its path', async () => {
      const { page, url } = await opened();
      await fetch(`${url}/items`, { method: 'OPTIONS' });
      const method = page.locator('#request-list .method').first();
      expect(await method.textContent()).toBe('OPTIONS');
      expect(await method.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
    });

    test('a request is sent again', async () => {
      const { page, url } = await opened();
      const headers = { authorization: 'Bearer BUYER-TOKEN', 'content-type': 'application/json' };
      const body = JSON.stringify({ item_id: 'MLA600000001', text: 'Is it blue?' });
      await fetch(`${url}/questions`, { method: 'POST', headers, body });
      await page.locator('#request-list summary').first().press('Enter');
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Sent again: 201').waitFor();
      await expect.poll(() => page.locator('#request-list li').count()).toBe(2);
      await expect.poll(() => page.getByRole('article').getByText('Is it blue?').count()).toBe(2);
    });

    test('a notification is triggered, shows its body and cause, and is delivered again to another callback', async () => {
      const { page, url } = await opened(
        desktop,
        '--callback',
        'http://127.0.0.1:1/a',
        '--callback',
        'http://127.0.0.1:1/b',
      );
      await chooseTab(page, 'Notifications');
      await page.locator('#trigger summary').click();
      await page.getByRole('combobox', { name: 'Topic' }).selectOption('items');
      await page.getByRole('combobox', { name: 'To', exact: true }).selectOption({ label: '1: http://127.0.0.1:1/a' });
      await page.getByLabel('Fields of the body').fill('{ "resource": "/items/FORGED" }');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const forged = page.getByRole('article', { name: /^Notification 500-/ });
      await forged.getByText('Attempt 1 at').waitFor();
      await forged.getByText('Body', { exact: true }).click();
      expect(await forged.locator('pre').textContent()).toContain('"resource": "/items/FORGED"');
      await forged.getByLabel('Receiver of').selectOption({ label: '2: http://127.0.0.1:1/b' });
      await forged.getByRole('button', { name: 'Deliver again' }).click();
      await forged.getByText('Attempt 2 at').waitFor();
      await chooseTab(page, 'Settings');
      await fetch(`${url}/questions`, {
        method: 'POST',
        headers: { authorization: 'Bearer BUYER-TOKEN' },
        body: JSON.stringify({ item_id: 'MLA600000001', text: 'Is it blue?' }),
      });
      await chooseTab(page, 'Notifications');
      await page.getByRole('button', { name: 'Caused by request 1: show it' }).first().click();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('/questions');
      expect(await page.locator('#request-list details').first().getAttribute('open')).not.toBeNull();
      expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Notifications');
    });

    test('settings, the rate limit and the storage change', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Settings');
      await page.getByLabel('messageShape').selectOption('legacy');
      await page.getByLabel('capPerOption').fill('3');
      await page.getByLabel('capPerOption').press('Enter');
      await page.getByRole('switch', { name: 'contactsNeedToken' }).click();
      await page.getByLabel('attachmentExtensions').fill('pdf, jpg');
      await page.getByLabel('attachmentExtensions').press('Tab');
      await expect.poll(() => page.getByLabel('attachmentExtensions').inputValue()).toBe('pdf, jpg');
      await expect
        .poll(async () => page.getByRole('switch', { name: 'contactsNeedToken' }).getAttribute('aria-checked'))
        .toBe('true');
      expect((await fetch(`${url}/users/1001/contacts/questions?date_from=2026-01-01&date_to=2026-01-02`)).status).toBe(
        401,
      );
      await page.getByLabel('Calls per minute').fill('1');
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await page.getByText('1 per minute, per application').waitFor();
      await fetch(`${url}/currencies`);
      expect((await fetch(`${url}/currencies`)).status).toBe(429);
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.locator('#limit-state').getByText('none').waitFor();
      await page.getByRole('switch', { name: 'Messages by id are not ready' }).click();
      await expect
        .poll(() => page.getByRole('switch', { name: 'Messages by id are not ready' }).getAttribute('aria-checked'))
        .toBe('true');
    });

    test('tokens are issued, expired and revoked', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Connect');
      await page.getByRole('button', { name: 'Revoke the token of LUCIA' }).click();
      await page.getByText('No valid token').waitFor();
      const status = async (): Promise<number> =>
        (await fetch(`${url}/currencies`, { headers: { authorization: 'Bearer BUYER-TOKEN' } })).status;
      expect(await status()).toBe(401);
      await page.locator('summary').getByText('Issue a token').click();
      await page.locator('#issue').getByLabel('User').fill('LUCIA 1002');
      await page.getByLabel('Valid for minutes').fill('5');
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByText(/application 500, until/).waitFor();
    });

    test('moderation waits, a user is blocked, a question is banned, and files are listed', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Conversations');
      await page.getByRole('switch', { name: 'Later' }).click();
      await page.getByText('New messages stay pending.').waitFor();
      await page.getByLabel('Message in pack 2000000000000001').fill('Hello?');
      await page.getByLabel('Message in pack 2000000000000001').press('Enter');
      await page.getByText('1 message is pending').waitFor();
      await page.getByRole('button', { name: 'Moderate now' }).click();
      await page.getByText('New messages stay pending.').waitFor();
      await chooseTab(page, 'Questions');
      await page.locator('#blacklist summary').click();
      await page.getByLabel('Blocked user').fill('LUCIA 1002');
      await page.getByRole('button', { name: 'Block', exact: true }).click();
      await page.locator('#blocked-list').getByText('may not ask MATE_AND_CO').waitFor();
      await page.getByRole('button', { name: 'Unblock' }).click();
      await page.getByText('No user is blocked.').waitFor();
      await page.getByRole('button', { name: 'Ban the question' }).first().click();
      await page.locator('#question-list .chip').getByText('banned').waitFor();
      const form = new FormData();
      form.append('file', new File(['hello'], 'warranty.pdf', { type: 'application/pdf' }));
      const headers = { authorization: 'Bearer SELLER-TOKEN' };
      await fetch(`${url}/messages/attachments?tag=post_sale&site_id=MLA`, { method: 'POST', headers, body: form });
      await chooseTab(page, 'Files');
      await page.locator('#file-list').getByText('warranty.pdf').waitFor();
      expect(await page.locator('#file-list').textContent()).toContain('5 bytes · MATE_AND_CO, MLA');
    });

    test('Flex subscriptions, shipments and drivers change', async () => {
      const { page, url } = await opened();
      await chooseTab(page, 'Items & Flex');
      await page.getByRole('button', { name: 'New shipment' }).click();
      const shipment = page.getByRole('article', { name: 'Shipment 40000000002' });
      await shipment.getByText('no driver').waitFor();
      await shipment.getByLabel('Driver of shipment').fill('55');
      await shipment.getByRole('button', { name: 'Assign' }).click();
      await shipment.getByText('driver 55').waitFor();
      const headers = { authorization: 'Bearer SELLER-TOKEN' };
      const response = await fetch(`${url}/flex/sites/MLA/shipments/40000000002/assignment/v1`, { headers });
      expect(await response.json()).toEqual({ driver_id: 55 });
      await shipment.getByRole('button', { name: 'Remove' }).click();
      await shipment.getByText('no driver').waitFor();
      await page.getByLabel('Status of the subscription of MATE_AND_CO, FLEX').selectOption('pending');
      await page.locator('#subscription-list .chip').getByText('pending').waitFor();
      expect(await page.getByRole('button', { name: 'New shipment' }).count()).toBe(0);
    });

    test('a sale opens a conversation', async () => {
      const { page } = await opened();
      await chooseTab(page, 'Conversations');
      await page.getByLabel('Shipping').selectOption('drop_off');
      await page.getByRole('button', { name: 'Add the sale' }).click();
      const sale = page.getByRole('article', { name: /^Conversation of pack/ }).first();
      await sale.getByText('drop off').waitFor();
      await sale.getByText('MATE_AND_CO').first().waitFor();
    });

    test('notifications are shown with their attempts, and scheduled ones are posted', async () => {
      const { page } = await opened();
      await chooseTab(page, 'Notifications');
      await page.getByLabel('URL').fill('http://127.0.0.1:1/notifications');
      await page.getByRole('button', { name: 'Subscribe' }).click();
      await page.locator('#callback-list').getByText('http://127.0.0.1:1/notifications').waitFor();
      await chooseTab(page, 'Questions');
      await page.getByLabel('Question', { exact: true }).fill('Is it blue?');
      await page.getByRole('button', { name: 'Ask' }).click();
      await chooseTab(page, 'Notifications');
      const delivery = page.getByRole('article', { name: /^Notification 500-/ });
      await delivery.getByText('waiting').waitFor();
      await delivery.getByText(/^Attempt 2 due at/).waitFor();
      await page.getByRole('button', { name: 'Post scheduled ones now' }).click();
      await delivery.getByText('abandoned').waitFor();
      expect(await delivery.getByText('unreachable').count()).toBe(8);
      await page.getByRole('button', { name: 'End all' }).click();
      await page.getByText('No callbacks yet.').waitFor();
    });

    test('the clock is set, advanced, and runs again', async () => {
      const { page } = await opened();
      const time = page.locator('#clock-time');
      await page.locator('#clock summary').click();
      await page.getByLabel('Time (UTC)').fill('2026-03-02T12:00:00');
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await time.getByText('2026-03-02 12:00:00 UTC, stopped').waitFor();
      await page.getByLabel('Unit').selectOption('days');
      await page.getByRole('button', { name: 'Advance' }).click();
      await time.getByText('2026-03-03 12:00:00 UTC, stopped').waitFor();
      await page.getByRole('button', { name: 'Run' }).click();
      await expect.poll(() => time.textContent()).not.toContain('stopped');
    });

    test('with 5,000 items it shows 100 of each list, and searches and suggests among all', async () => {
      const { page, url } = await opened(desktop, '--control-token', controlToken);
      await addSeed(url, {
        users: Array.from({ length: 2000 }, (_, index) => ({ nickname: `BUYER${index}` })),
        items: Array.from({ length: 5000 }, (_, index) => ({ seller_id: 1001, title: `Lamp ${index} <b>new</b>` })),
      });
      for (let sent = 0; sent < 150; sent += 1) await (await fetch(`${url}/currencies/${sent}`)).text();
      await page.locator('#shown-requests').getByText('100 newest of 150').waitFor();
      expect(await page.locator('option').count()).toBeLessThan(200);
      expect(await page.locator('#request-list li').count()).toBe(100);
      expect(await page.locator('#request-list dl').count()).toBe(0);
      await page.getByLabel('Item', { exact: true }).fill('lamp 1234');
      await page.locator('#ask option[value^="Lamp 1234 <b>new</b> MLA"]').waitFor({ state: 'attached' });
      const [suggestion] = await page.locator('#ask datalist').nth(1).locator('option').all();
      await page.getByLabel('Item', { exact: true }).fill((await suggestion?.getAttribute('value')) ?? '');
      await page.getByLabel('Question', { exact: true }).fill('Does it shine?');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByRole('article').getByText('Lamp 1234 <b>new</b>').waitFor();
      await chooseTab(page, 'Items & Flex');
      await page.getByText('100 newest of 5,003').waitFor();
      expect(await page.locator('#item-list article').count()).toBe(100);
      await page.getByLabel('Search the items').fill('bombilla');
      await expect.poll(() => page.locator('#item-list article').count()).toBe(1);
      await page.getByRole('switch', { name: 'Flex for Bombilla' }).click();
      await expect
        .poll(() => page.getByRole('switch', { name: 'Flex for Bombilla' }).getAttribute('aria-checked'))
        .toBe('true');
      await page.getByLabel('Search the items').fill('no such item');
      await page.getByText('No entry contains this text.').waitFor();
      expect(await violations(page)).toEqual([]);
    });

    // A theme has the same colours on each screen.
    test.each([
      ['a phone', 'dark', phone],
      ['a small desktop', 'light', tablet],
      ['a desktop', 'dark', desktop],
    ] as const)('axe finds nothing on %s in the %s theme', async (_name, colorScheme, viewport) => {
      const { page, url } = await opened(viewport, '--callback', 'http://127.0.0.1:1/');
      const body = JSON.stringify({ item_id: 'MLA600000001', text: 'Is it blue?' });
      await fetch(`${url}/questions`, { method: 'POST', headers: { authorization: 'Bearer BUYER-TOKEN' }, body });
      await page
        .locator('#request-list summary')
        .first()
        .press('Enter')
        .catch(() => undefined);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator('#clock summary').click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      for (const tab of await page.getByRole('tab').all()) {
        if (!(await tab.isVisible())) continue;
        await tab.click();
        for (const fold of await page.locator('section:not([hidden]) .fold:not([open]) > summary').all())
          await fold.click();
        expect(await violations(page)).toEqual([]);
      }
    });
  });

  test('a page of another origin calls the marketplace only when settings.cors is on', async () => {
    const marketplace = new FakeMarketplace();
    const server = await marketplace.listen();
    const origin = await new FakeMarketplace().listen();
    const token = marketplace.tokenFor(marketplace.addUser());
    const page = await browser.newPage();
    pages.push(page);
    await page.goto(`${origin.url}/currencies`);
    const call = (): Promise<number | string> =>
      page.evaluate(
        async ([url, bearer]) => {
          const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
          const init = { method: 'POST', headers, body: JSON.stringify({ item_id: 'MLA1', text: 'Hm?' }) };
          return fetch(`${url}/questions`, init).then(
            ({ status }) => status,
            () => 'blocked',
          );
        },
        [server.url, token] as const,
      );
    expect(await call()).toBe('blocked');
    marketplace.settings.cors = true;
    expect(await call()).toBe(404);
    await Promise.all([server.close(), origin.close()]);
  });
});

/** What axe finds on the visible part of a page. */
async function violations(page: Page): Promise<string[]> {
  // The policy of the page forbids inline scripts; a test may evaluate them.
  await page.evaluate(`window.axe ?? (() => { ${axeSource} })()`);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
  });
}
