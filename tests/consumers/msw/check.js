// The lowest supported versions of msw 2 and 3: their requests reach the fake marketplace. Its name is the argument.
import assert from 'node:assert/strict';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const [, , msw = 'msw'] = process.argv;
const { HttpResponse, http } = await import(msw);
const { setupServer } = await import(`${msw}/node`);

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { user_id: seller_id } = account;
const { item_id } = marketplace.addItem({ seller_id });
marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it in stock?' });

const baseUrl = 'https://api.example.com';
const elsewhere = http.get('https://elsewhere.test/', () => HttpResponse.json('elsewhere'));
const server = setupServer(...marketplace.handlers(baseUrl), elsewhere);
server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' });

const seller = new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(account) });
const question = await seller.questions.search({ seller_id }).first();
assert.equal(question?.text, 'Is it in stock?');
await seller.questions.answer({ question_id: question.id, text: 'Yes.' });
assert.equal((await seller.questions.get({ question_id: question.id })).status, 'ANSWERED');
assert.equal(await (await fetch('https://elsewhere.test/')).json(), 'elsewhere');

server.resetHandlers();
assert.equal(server.listHandlers().length, 2);
server.close();
