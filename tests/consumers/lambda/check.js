// The handler of a Lambda function, with the events that a function URL and an HTTP API send.
import assert from 'node:assert/strict';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
const service = await marketplace.listen();
Object.assign(process.env, {
  SELLER_BASE_URL: service.url,
  SELLER_TOKEN: marketplace.tokenFor(seller),
  SELLER_ID: String(seller.user_id),
  CALLBACK_PATH: '/hooks/a-secret-of-the-application',
});
const { handler } = await import('./handler.js');

function eventOf(notification, { method = 'POST', rawPath = process.env.CALLBACK_PATH, isBase64Encoded = false } = {}) {
  const text = JSON.stringify(notification);
  const body = isBase64Encoded ? Buffer.from(text).toString('base64') : text;
  const requestContext = { domainName: 'app.test', http: { method } };
  const headers = { 'content-type': 'application/json' };
  return { rawPath, requestContext, headers, body: method === 'GET' ? undefined : body, isBase64Encoded };
}

for (const isBase64Encoded of [false, true]) {
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'In blue?' });
  const notification = {
    _id: `event-${id}`,
    user_id: seller.user_id,
    topic: 'questions',
    resource: `/questions/${id}`,
  };
  assert.equal((await handler(eventOf(notification, { isBase64Encoded }))).statusCode, 200);
  assert.equal(marketplace.questions.getOrThrow(id).answer?.text, 'Yes.');
}
assert.equal((await handler(eventOf([]))).statusCode, 400);
assert.equal((await handler(eventOf({}, { method: 'GET' }))).statusCode, 405);
assert.equal((await handler(eventOf({}, { rawPath: '/hooks/another' }))).statusCode, 404);
await service.close();
