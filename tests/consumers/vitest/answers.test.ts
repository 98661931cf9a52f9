import { QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const baseUrl = 'https://api.example.com';
const marketplace = new FakeMarketplace();
const server = setupServer(...marketplace.handlers(baseUrl));
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());

test('the marketplace answers what msw catches', async () => {
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });

  // What an application under test makes of its settings: it knows nothing of the fake.
  const client = new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(seller) });
  const found = await client.questions.search({ seller_id: seller.user_id }).toArray();
  expect(found.map((question) => question.id)).toEqual([id]);

  await client.questions.answer({ question_id: id, text: 'Yes.' });
  const again = client.questions.answer({ question_id: id, text: 'Yes!' });
  await expect(again).rejects.toBeInstanceOf(QuestionNotOpenError);
});
