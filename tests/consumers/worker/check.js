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

  // An inbox that handles before it responds, and one that handles after it, in memory.
  for (const path of ['now', 'inbox']) {
    const asked = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'In blue?' });
    const body = {
      _id: `event-${path}`,
      user_id: seller.user_id,
      topic: 'questions',
      resource: `/questions/${asked.id}`,
    };
    const post = (text) => {
      const headers = { 'content-type': 'application/json' };
      return worker.dispatchFetch(`http://worker.test/${path}`, { method: 'POST', headers, body: text });
    };
    const deliver = () => post(JSON.stringify(body));
    for (const { status } of await Promise.all([deliver(), deliver()])) assert.equal(status, 200, path);
    await answered(asked.id);
    assert.equal((await deliver()).status, 200, path);
    const isOfIt = ({ endpoint, body: sent }) => endpoint === 'questions.answer' && sent.question_id === asked.id;
    assert.equal(marketplace.requests.all.filter(isOfIt).length, 1, path);
    assert.equal((await post('[]')).status, 400, path);
  }
} finally {
  await worker.dispose();
  await service.close();
}

async function answered(id) {
  for (let left = 100; !marketplace.questions.getOrThrow(id).answer; left -= 1) {
    assert.ok(left > 0, `question ${id} is not answered`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
