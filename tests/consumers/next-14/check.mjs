// Builds and starts a Next.js 14 application. Its data cache answers a GET, over requests and builds, unless that says that no cache
// may; and it throws an error of its own from the first such request of a page that it tries to prerender.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const { user_id } = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: user_id });
const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
const service = await marketplace.listen();
const env = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: '1',
  SELLER_BASE_URL: service.url,
  SELLER_TOKEN: marketplace.tokenFor({ user_id }),
  SELLER_ID: String(user_id),
  QUESTION_ID: String(id),
};

const build = next('build');
const [built] = await once(build.process, 'exit');
assert.equal(built, 0, build.output());
assert.deepEqual(marketplace.requests.all, [], 'nothing is prerendered');
assert.doesNotMatch(build.output(), /ConnectionError|got no response/);
const { routes } = JSON.parse(readFileSync('.next/prerender-manifest.json', 'utf8'));
assert.deepEqual(
  Object.keys(routes).filter((route) => route !== '/_not-found'),
  [],
);

const port = await freePort();
const server = next('start', '--port', String(port));
try {
  await once(server.process.stdout, 'data');
  const get = async (path) => {
    const response = await retried(`http://127.0.0.1:${port}${path}`);
    assert.equal(response.status, 200, server.output());
    return response;
  };
  // Each search is a request to the service.
  const texts = ['Is there stock?', 'Is there stock?', 'Is there stock?'];
  assert.deepEqual(await (await get('/questions')).json(), texts);
  assert.equal(marketplace.requests.all.length, 3);
  assert.deepEqual(await (await get('/questions')).json(), texts);
  assert.equal(marketplace.requests.all.length, 6);
  assert.match(await (await get('/')).text(), /UNANSWERED/);

  // The response to a write is lost: it is read back from the service, and not from what was read before.
  marketplace.faults.inject({ endpoint: 'questions.answer', reset: 'after' });
  assert.deepEqual(await (await get('/answer')).json(), { status: 'UNANSWERED', confirmation: true });
  assert.equal(marketplace.requests.filter({ endpoint: 'questions.answer' }).length, 1);
  assert.match(await (await get('/')).text(), /ANSWERED.*Yes\./);
} finally {
  server.process.kill();
  await service.close();
}

function next(...args) {
  const child = spawn(process.execPath, ['node_modules/next/dist/bin/next', ...args], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  return { process: child, output: () => text };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

/** The server says that it starts before it listens. */
async function retried(url) {
  for (let left = 50; ; left -= 1) {
    try {
      return await fetch(url);
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
