// Takes the pictures of the dashboard in docs/images, in both themes: `npm run build && node tools/screenshots.ts`.
// They look as intended on a machine with the fonts Inter and JetBrains Mono (Debian: fonts-inter, fonts-jetbrains-mono).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { findProgram } from './find-program.mjs';

const token = 'a-control-token-of-the-pictures';
const options = `--port 0 --quiet --control-token ${token} --callback http://127.0.0.1:1/hook`.split(' ');
const server = spawn(process.execPath, ['dist/esm/cli/main.js', 'fake', ...options]);
try {
  const [text] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = /Fake marketplace at (\S+)/.exec(text)?.[1] ?? '';
  await call(url);
  await takePictures(url);
} finally {
  server.kill();
}

/** Makes the requests that the pictures show, some of which fail. */
async function call(url: string): Promise<void> {
  const send = async (path: string, body?: object, bearer = 'SELLER-TOKEN'): Promise<void> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'x-fake-token': token };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    await fetch(url + path, init).catch(() => undefined);
  };
  const messages = (pack: number): string => `/messages/packs/${pack}/sellers/1001?tag=post_sale`;
  const from = { user_id: 1001 };
  const option = { option_id: 'OTHER', text: 'The driver comes at six.' };

  await send('/questions/search?seller_id=1001&limit=10');
  await send('/answers', { question_id: 5_000_000_003, text: 'Sí, enviamos a todo el país.' });
  await send('/answers', { question_id: 5_000_000_003, text: 'Sí.' });
  await send('/questions', { item_id: 'MLA600000002', text: 'Is it 19 cm with the filter?' }, 'BUYER-TOKEN');
  await send(messages(2_000_000_000_000_001), { from, to: { user_id: 1002 }, text: 'It is at your door.' });
  await send(messages(2_000_000_000_000_002), { from, to: { user_id: 1003 }, text: 'Are you sure?' });
  await send('/__fake/faults', { reset: 'after', endpoint: 'actionGuide.send' });
  await send('/messages/action_guide/packs/2000000000000001/option?tag=post_sale', option);
  await send('/messages/action_guide/packs/2000000000000001/option?tag=post_sale', option);
  await send('/__fake/faults', { status: 503, endpoint: 'flex.subscriptions' });
  await send('/shipping/flex/sites/MLA/users/1001/subscriptions/v1');
  await send('/shipping/flex/sites/MLA/users/1001/subscriptions/v1');
  await send('/__fake/faults', { status: 429, times: 3 });
}

async function takePictures(url: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findProgram('chromium') ?? '', args: ['--no-sandbox'] });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme });
    await page.goto(url);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.screenshot({ path: `docs/images/dashboard-${colorScheme}.png` });
  }
  await browser.close();
}
