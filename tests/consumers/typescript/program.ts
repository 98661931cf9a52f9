import { InvalidInputError, QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import type { ApiPromise, ClientOptions, Question } from 'marketplace-seller-sdk';
import { parseNotification } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
const { id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });

const { baseUrl, fetch } = marketplace;
const options: ClientOptions = { baseUrl, fetch, accessToken: async () => marketplace.tokenFor(seller) };
const client = new SellerClient(options);

async function main(): Promise<void> {
  const found: Question[] = [];
  for await (const question of client.questions.search({ seller_id: seller.user_id })) found.push(question);
  const texts: (string | null | undefined)[] = found.map(({ text }) => text);
  if (texts.join() !== 'Is there stock?') throw new Error('the question is not found');

  const call: ApiPromise<Question | undefined> = client.questions.answer({ question_id: id, text: 'Yes.' });
  const { response } = await call.withResponse();
  if (response.status !== 200) throw new Error('the question is not answered');

  const again: unknown = await client.questions.answer({ question_id: id, text: 'Yes!' }).catch((error) => error);
  if (!(again instanceof QuestionNotOpenError)) throw new Error('the second answer is not rejected');
  const status: number = again.status;
  // @ts-expect-error -- an error has the fields of its class: an ApiError has no `issues`
  if (again.issues !== undefined || status !== 400) throw new Error('it is rejected as something else');

  // @ts-expect-error -- the name of the field is misspelt
  const unsent: unknown = await client.questions.answer({ question_ID: id, text: 'Yes.' }).catch((error) => error);
  if (!(unsent instanceof InvalidInputError)) throw new Error('a wrong input is sent');

  const narrow = await client.questions.get({ question_id: id }, { attributes: ['id', 'status'] });
  // @ts-expect-error -- it was not asked for
  if (narrow.text !== undefined) throw new Error('the answer is not reduced');

  const resource: string = parseNotification({
    _id: '1',
    topic: 'questions',
    resource: `/questions/${narrow.id}`,
    user_id: seller.user_id,
  }).resource;
  if (resource !== `/questions/${id}`) throw new Error('the notification is not read');
}

void main();
