// A Worker in workerd, bundled as its tools bundle, that works for a seller of the fake.
import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { Miniflare } from 'miniflare';

const { outputFiles } = await build({
  entryPoints: ['worker.js'],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
});

const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
for (const text of ['One?', 'Two?']) marketplace.ask({ from: marketplace.addUser(), item_id, text });
const service = await marketplace.listen();

const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0].text }],
  compatibilityDate: '2026-01-01',
  bindings: {
    SELLER_BASE_URL: service.url,
    SELLER_TOKEN: marketplace.tokenFor(seller),
    SELLER_ID: String(seller.user_id),
  },
});
try {
  const response = await worker.dispatchFetch('http://worker.test/');
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.deepEqual(JSON.parse(text), { answered: 2, isStored: true, isRejected: true });
} finally {
  await worker.dispose();
  await service.close();
}
