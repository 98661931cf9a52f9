import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { rawText } from '../../tools/raw-text.ts';
import { chromiumArguments, chromiumPath } from '../support/chromium.ts';

/** Runs in the page: the fake, two clients, an inbox and a fault. */
const program = `
import { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

globalThis.story = async () => {
  const said = [];
  const marketplace = new FakeMarketplace();
  const [account, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { item_id } = marketplace.addItem({ seller_id: account.user_id });
  const client = marketplace.clientFor(account);
  const inbox = createInbox({
    clientFor: () => client,
    store: memoryStore(),
    on: {
      questions: async (_, { client: seller, read }) => {
        const { id, status } = await read();
        if (status === 'UNANSWERED') await seller.questions.answer({ question_id: id, text: 'Yes.' });
      },
    },
  });
  inbox.start();
  const question = await marketplace.clientFor(buyer).questions.ask({ item_id, text: 'Is it in stock?' });
  await inbox.add({
    topic: 'questions',
    resource: '/questions/' + question.id,
    user_id: account.user_id,
    _id: 'n1',
    application_id: 1,
    attempts: 1,
    sent: new Date().toISOString(),
    received: new Date().toISOString(),
  });
  while ((await client.questions.get({ question_id: question.id })).status !== 'ANSWERED')
    await new Promise((resolve) => setTimeout(resolve, 20));
  await inbox.close();
  said.push('answered by the inbox');

  const second = await marketplace.clientFor(buyer).questions.ask({ item_id, text: 'Is there a red one?' });
  marketplace.faults.inject({ endpoint: 'questions.answer', reset: 'after' });
  try {
    await client.questions.answer({ question_id: second.id, text: 'No.' });
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    said.push('lost, and done: ' + (await error.confirm()).done);
  }
  said.push(marketplace.requests.filter({ endpoint: 'questions.answer' }).length + ' answers were sent');
  return said;
};
`;

test.skipIf(chromiumPath === undefined)('the fake, a client and an inbox run in a page', async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '#platform': new URL('../../src/core/transport/platform-portable.ts', import.meta.url).pathname },
    tsconfig: new URL('../../tsconfig.json', import.meta.url).pathname,
    plugins: [rawText],
  });
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: chromiumArguments });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => void errors.push(error.message));
  // A page of this machine may use WebCrypto, as one over HTTPS.
  await page.route('http://localhost/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Fake</title>' }),
  );
  await page.goto('http://localhost/');
  await page.addScriptTag({ content: outputFiles[0]!.text });
  const said = await page.evaluate(() => (globalThis as unknown as { story: () => Promise<string[]> }).story());
  expect(said).toEqual(['answered by the inbox', 'lost, and done: true', '2 answers were sent']);
  expect(errors).toEqual([]);
});
