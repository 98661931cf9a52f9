const { InvalidInputError, QuestionNotOpenError } = require('marketplace-seller-sdk');
const { FakeMarketplace } = require('marketplace-seller-sdk/testing');

let marketplace, seller, client;
beforeEach(() => {
  marketplace = new FakeMarketplace();
  seller = marketplace.addUser();
  client = marketplace.clientFor(seller);
});

test('a question takes one answer', async () => {
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });

  const found = [];
  for await (const question of client.questions.search({ seller_id: seller.user_id })) found.push(question.id);
  expect(found).toEqual([id]);

  await client.questions.answer({ question_id: id, text: 'Yes.' });
  const again = client.questions.answer({ question_id: id, text: 'Yes!' });
  await expect(again).rejects.toBeInstanceOf(QuestionNotOpenError);
  await expect(client.questions.answer({ question_id: id, text: '' })).rejects.toBeInstanceOf(InvalidInputError);
});

// Jest runs CommonJS where `import()` fails: what loads on first use has to be loaded in another way there.
test('what loads on first use loads in Jest', async () => {
  const { url, close } = await marketplace.listen();
  const online = marketplace.clientFor(seller, { baseUrl: url, fetch: undefined });

  const file = new Blob(['%PDF-1.7'], { type: 'application/pdf' });
  const { id: attachment_id } = await online.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf' });
  const downloaded = await online.messages.download({ site_id: 'MLA', attachment_id });
  expect(Buffer.from(await downloaded.arrayBuffer()).toString()).toBe('%PDF-1.7');

  const seen = [];
  const middleware = ({ endpoint, request }, next) => {
    seen.push(endpoint.name);
    return next(request);
  };
  const watched = marketplace.clientFor(seller, { baseUrl: url, fetch: undefined, middleware: [middleware] });
  expect(await watched.currencies.list()).not.toEqual([]);
  expect(seen).toEqual(['currencies.list']);

  const { site_id, service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
  const whose = { site_id, service_id, user_id: seller.user_id };
  expect(await online.flex.configuration({ ...whose, select: { address: { zip_code: true } } })).toHaveProperty(
    'address',
  );
  await close();
});

test('the fake marketplace serves its OpenAPI document, which it reads from the package', async () => {
  const { url, close } = await marketplace.listen({ page: true });
  const [, token] = /name="fake-token" content="([^"]+)"/.exec(await (await fetch(url)).text());
  const response = await fetch(`${url}/__fake/marketplace-openapi.json`, { headers: { 'x-fake-token': token } });
  expect(await response.json()).toMatchObject({ servers: [{ url }], paths: { '/answers': { post: {} } } });
  await close();
});
