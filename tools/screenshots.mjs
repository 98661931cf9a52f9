// Takes the pictures of the dashboard in docs/images, in both themes: `npm run build && node tools/screenshots.mjs`.
// They look as intended on a machine with the fonts Inter and JetBrains Mono (Debian: fonts-inter, fonts-jetbrains-mono).
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findProgram } from './find-program.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const token = 'a-control-token-of-the-pictures';
const arguments_ = [
  'fake',
  '--port',
  '0',
  '--quiet',
  '--control-token',
  token,
  '--callback',
  'http://127.0.0.1:1/hook',
];
const server = spawn(process.execPath, [join(root, 'dist/esm/cli/main.js'), ...arguments_]);
try {
  const url = await new Promise((resolve) => {
    server.stdout.on('data', (text) => {
      const found = /Fake marketplace at (\S+)/.exec(String(text))?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  await call(url);
  await takePictures(url);
} finally {
  server.kill();
}

/**
 * Makes the requests that the pictures show, some of which fail.
 * @param {string} url
 */
async function call(url) {
  const messages = (/** @type {number} */ pack) => `/messages/packs/${pack}/sellers/1001?tag=post_sale`;
  const from = { user_id: 1001 };
  /** @type {(path: string, body?: object, bearer?: string) => Promise<Response | undefined>} */
  const send = (path, body, bearer = 'SELLER-TOKEN') =>
    fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'x-fake-token': token },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);

  await send('/questions/search?seller_id=1001&limit=10');
  await send('/answers', { question_id: 5_000_000_003, text: 'Sí, enviamos a todo el país.' });
  await send('/answers', { question_id: 5_000_000_003, text: 'Sí.' });
  await send('/questions', { item_id: 'MLA600000002', text: 'Is it 19 cm with the filter?' }, 'BUYER-TOKEN');
  await send(messages(2_000_000_000_000_001), { from, to: { user_id: 1002 }, text: 'It is at your door.' });
  await send(messages(2_000_000_000_000_002), { from, to: { user_id: 1003 }, text: 'Are you sure?' });
  await send('/__fake/faults', { reset: 'after', endpoint: 'actionGuide.send' });
  const option = { option_id: 'OTHER', text: 'The driver comes at six.' };
  await send('/messages/action_guide/packs/2000000000000001/option?tag=post_sale', option);
  await send('/messages/action_guide/packs/2000000000000001/option?tag=post_sale', option);
  await send('/__fake/faults', { status: 503, endpoint: 'flex.subscriptions' });
  await send('/shipping/flex/sites/MLA/users/1001/subscriptions/v1');
  await send('/shipping/flex/sites/MLA/users/1001/subscriptions/v1');
  await send('/__fake/faults', { status: 429, times: 3 });
}

/** @param {string} url */
async function takePictures(url) {
  const browser = await chromium.launch({ executablePath: findProgram('chromium') ?? '', args: ['--no-sandbox'] });
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: theme });
    await page.goto(url);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.screenshot({ path: join(root, `docs/images/dashboard-${theme}.png`) });
    await page.getByRole('tab', { name: 'Notifications' }).click();
    const folds = page.locator('#notifications .fold[open] > summary');
    await folds.click();
    await page.locator('#delivery-list details').first().locator('summary').click();
    await page.screenshot({ path: join(root, `docs/images/dashboard-notifications-${theme}.png`) });
  }
  await browser.close();
}
