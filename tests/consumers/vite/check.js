// A page in a real browser, once as Vite serves it in development, once as it is built for production.
import assert from 'node:assert/strict';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { chromium } from 'playwright-core';
import { build, createServer, preview } from 'vite';

const executablePath = process.env.CHROMIUM_PATH;
if (!executablePath) {
  console.error('there is no Chromium: install it, or name it in CHROMIUM_PATH');
  process.exit(77);
}

const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
const texts = ['One?', 'Two?', 'Three?'];
for (const text of texts) marketplace.ask({ from: marketplace.addUser(), item_id, text });
const service = await marketplace.listen();

const proxy = {
  '/api': {
    target: service.url,
    rewrite: (path) => path.replace(/^\/api/, ''),
    headers: { authorization: `Bearer ${marketplace.tokenFor(seller)}` },
    // The browser, and what else is on the way, may keep each response.
    configure: (server) => server.on('proxyRes', ({ headers }) => (headers['cache-control'] = 'max-age=600')),
  },
};
const settings = { logLevel: 'error', server: { port: 0, proxy }, preview: { port: 0, proxy } };
const vite = await (process.argv[2] === 'built' ? built() : served());

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
});
try {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${vite.resolvedUrls.local[0]}?seller=${seller.user_id}`);
  await page.waitForFunction(() => document.querySelector('#own').textContent !== '', { timeout: 60_000 });
  assert.equal(await page.textContent('#outcome'), 'Somebody was faster.');
  assert.deepEqual((await page.locator('li').allTextContents()).sort(), texts.toSorted());
  assert.equal(await page.textContent('#own'), 'string zip_code');
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/keeper.js');
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const { id } = marketplace.questions.all.find(({ answer }) => !answer);
  const read = (name) => page.evaluate(([how, question_id]) => window[how](question_id), [name, id]);
  assert.deepEqual([await read('plainStatusOf'), await read('statusOf')], ['UNANSWERED', 'UNANSWERED']);
  await marketplace.clientFor(seller).questions.answer({ question_id: id, text: 'Yes.' });
  assert.deepEqual([await read('plainStatusOf'), await read('statusOf')], ['UNANSWERED', 'ANSWERED']);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
  await vite.close();
  await service.close();
}

async function served() {
  const server = await createServer(settings);
  return server.listen();
}

async function built() {
  await build(settings);
  return preview(settings);
}
