// A test of a seller's program that knows the marketplace and its control endpoints only by their OpenAPI documents.
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import createClient from 'openapi-fetch';
import type { paths as ControlPaths } from './control.js';
import type { paths as MarketplacePaths } from './marketplace.js';

const marketplace = new FakeMarketplace();
const { url, close } = await marketplace.listen({ page: true });
const [, token = ''] = /name="fake-token" content="([^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
const control = createClient<ControlPaths>({ baseUrl: url, headers: { 'x-fake-token': token } });

await control.POST('/__fake/seed', {
  body: {
    users: [
      { user_id: 7, nickname: 'SHOP', token: 'shop-token' },
      { user_id: 8, nickname: 'ANA' },
    ],
    items: [{ item_id: 'MLA1', seller_id: 7, title: 'A lamp' }],
  },
});
const asked = await control.POST('/__fake/questions', { body: { from: 8, item_id: 'MLA1', text: 'Is it bright?' } });
const question_id: number = asked.data?.id ?? 0;

const seller = createClient<MarketplacePaths>({ baseUrl: url, headers: { authorization: 'Bearer shop-token' } });
const answered = await seller.POST('/answers', { body: { question_id, text: 'Very.' } });
equal('the status of the answer', answered.response.status, 200);

const again = await seller.POST('/answers', { body: { question_id, text: 'Very!' } });
equal('the status of a second answer', again.response.status, 400);

const { data: log } = await control.GET('/__fake/requests', { params: { query: { endpoint: 'questions.answer' } } });
equal('the number of requests', log?.count, 2);
const rule: string | null | undefined = log?.requests[1]?.rule;
equal(
  'the rule of the second',
  rule,
  'QuestionNotOpenError: a question that is not open, or that cannot be answered (docs/errors/README.md#questionnotopenerror)',
);

// @ts-expect-error -- the types are those of the document: `held` is a boolean
const wrong = await control.POST('/__fake/held-notifications', { body: { held: 'yes' } });
equal('a body of another type', wrong.response.status, 400);
await close();
console.log('A client from the OpenAPI documents compiles and runs');

function equal(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what} is ${String(found)}, not ${String(expected)}`);
}
