// Bundles two programs for Node, runs both against the fake, and looks at what the smaller one carries. Then one for browsers.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { bundlers } from './bundle.js';

// What only the code of Flex, post-sale messages, uploads and GraphQL says; all of it is in the whole program.
const FOREIGN = [
  '/shipping/flex/',
  'SubscriptionNotFoundError',
  'CapExhaustedError',
  'Arrays are not supported.',
  'GraphQL Error (Code',
];

const [name] = process.argv.slice(2);
const size = {};
for (const entry of ['whole.js', 'questions-only.js']) {
  const { program, loaded, all } = await bundlers[name](entry, `out/${name}`);
  size[entry] = loaded.length;

  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  for (const text of ['One?', 'Two?']) marketplace.ask({ from: marketplace.addUser(), item_id, text });
  const { url, close } = await marketplace.listen();
  const { answerAll } = await import(pathToFileURL(program));
  const result = await answerAll(url, marketplace.tokenFor(seller), seller.user_id);
  assert.deepEqual(result, { answered: 2, isRejected: true });
  await close();

  const held = (code) => FOREIGN.filter((word) => code.includes(word));
  if (entry === 'questions-only.js') assert.deepEqual(held(loaded), []);
  else assert.deepEqual(held(all), FOREIGN);
}
assert.ok(size['questions-only.js'] < size['whole.js'], 'one resource weighs less than all');

const { program: overFetch } = await bundlers[name]('over-fetch.js', `out/${name}`);
const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const bytes = new TextEncoder().encode('%PDF-1.7');
const stored = { owner: seller.user_id, site_id: 'MLA', filename: 'a.pdf', type: 'application/pdf', bytes };
const { id } = marketplace.attachments.add(stored);
const { url, close } = await marketplace.listen();
const { callOverFetch } = await import(pathToFileURL(overFetch));
const sent = await callOverFetch(url, marketplace.tokenFor(seller), id);
assert.deepEqual(sent, { text: '%PDF-1.7', seen: ['currencies.list'], isList: true });
await close();

// Its modules load on Node, too.
const { program: page } = await bundlers[name]('browser.js', `out/${name}-browser`, 'browser');
const { answerOne } = await import(pathToFileURL(page));
assert.deepEqual(await answerOne(), { isNotified: true, isQuestion: true, isRejected: true });
