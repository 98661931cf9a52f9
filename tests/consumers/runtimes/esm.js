// ES modules: iterates over questions through HTTP, answers one, and is rejected when it answers that one again.
import assert from 'node:assert/strict';
import { QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import { parseNotification } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
for (const text of ['One?', 'Two?', 'Three?']) marketplace.ask({ from: buyer, item_id, text });
const { url, close } = await marketplace.listen();

const client = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller) });
const questions = await client.questions.search({ item: item_id, limit: 2 }).toArray();
assert.deepEqual(questions.map(({ text }) => text).sort(), ['One?', 'Three?', 'Two?']);

const answer = { question_id: questions[0].id, text: 'Yes.' };
assert.equal((await client.questions.answer(answer)).answer.text, 'Yes.');
await assert.rejects(client.questions.answer(answer), (error) => error instanceof QuestionNotOpenError);

// What ky sends on Node, where it is loaded on first use: a download, and a call with a middleware.
const bytes = new TextEncoder().encode('%PDF-1.7');
const file = { owner: seller.user_id, site_id: 'MLA', filename: 'a.pdf', type: 'application/pdf', bytes };
const { id: attachment_id } = marketplace.attachments.add(file);
const downloaded = await client.messages.download({ site_id: 'MLA', attachment_id });
assert.deepEqual(new Uint8Array(await downloaded.arrayBuffer()), bytes);
const seen = [];
const middleware = [({ endpoint, request }, next) => (seen.push(endpoint.name), next(request))];
await new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(seller), middleware }).currencies.list();
assert.deepEqual(seen, ['currencies.list']);

const { resource } = parseNotification(
  `{"_id":"1","topic":"questions","resource":"/questions/${answer.question_id}","user_id":${seller.user_id}}`,
);
assert.equal(resource, `/questions/${answer.question_id}`);
await close();
