// CommonJS: the same, and the parts that load on first use, which are `require`d there.
const assert = require('node:assert/strict');
const { QuestionNotOpenError, SellerClient } = require('marketplace-seller-sdk');
const { parseNotification } = require('marketplace-seller-sdk/inbox');
const { FakeMarketplace } = require('marketplace-seller-sdk/testing');

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

async function main() {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const { id } = marketplace.ask({ from: buyer, item_id, text: 'Is there stock?' });
  const { url, close } = await marketplace.listen();

  const client = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller) });
  const asked = await client.questions.search({ seller_id: seller.user_id }).toArray();
  assert.deepEqual(
    asked.map((question) => question.id),
    [id],
  );
  await client.questions.answer({ question_id: id, text: 'Yes.' });
  const again = client.questions.answer({ question_id: id, text: 'Yes!' });
  await assert.rejects(again, (error) => error instanceof QuestionNotOpenError);

  // A buyer's file, through form-data.
  const file = new Blob(['%PDF-1.7'], { type: 'application/pdf' });
  const stored = await client.messages.upload({ site_id: 'MLA', file, filename: 'invoice.pdf' });
  const downloaded = await client.messages.download({ site_id: 'MLA', attachment_id: stored.id });
  assert.equal(Buffer.from(await downloaded.arrayBuffer()).toString(), '%PDF-1.7');
  // A call with a middleware, through ky.
  const seen = [];
  const middleware = [({ endpoint, request }, next) => (seen.push(endpoint.name), next(request))];
  await new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller), middleware }).currencies.list();
  assert.deepEqual(seen, ['currencies.list']);
  // A GraphQL query, through graphql-request.
  const { site_id, service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
  const whose = { site_id, service_id, user_id: seller.user_id };
  const { address } = await client.flex.configuration({ ...whose, select: { address: { zip_code: true } } });
  assert.deepEqual(Object.keys(address), ['zip_code']);

  assert.equal(typeof parseNotification, 'function');
  await close();
}
