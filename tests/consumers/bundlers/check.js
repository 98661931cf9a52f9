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

// Its modules load on Node, too.
const { program: page } = await bundlers[name]('browser.js', `out/${name}-browser`, 'browser');
const { answerOne } = await import(pathToFileURL(page));
assert.deepEqual(await answerOne(), { isNotified: true, isQuestion: true, isRejected: true });
