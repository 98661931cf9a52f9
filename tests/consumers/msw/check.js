// msw 2, which many projects still have: its requests reach the fake marketplace.
import assert from 'node:assert/strict';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { user_id: seller_id } = account;
const { item_id } = marketplace.addItem({ seller_id });
marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it in stock?' });

const baseUrl = 'https://api.example.com';
const elsewhere = http.get('https://elsewhere.test/', () => HttpResponse.json('elsewhere'));
const server = setupServer(...marketplace.handlers(baseUrl), elsewhere);
server.listen({ onUnhandledRequest: 'error' });

const seller = new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(account) });
const question = await seller.questions.search({ seller_id }).first();
assert.equal(question?.text, 'Is it in stock?');
await seller.questions.answer({ question_id: question.id, text: 'Yes.' });
assert.equal((await seller.questions.get({ question_id: question.id })).status, 'ANSWERED');
assert.equal(await (await fetch('https://elsewhere.test/')).json(), 'elsewhere');

server.resetHandlers();
assert.equal(server.listHandlers().length, 2);
server.close();
