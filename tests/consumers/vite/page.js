import { QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// The token stays on the server, which adds it to what it passes on.
const seller = new SellerClient({ baseUrl: `${location.origin}/api` });
const seller_id = Number(new URLSearchParams(location.search).get('seller'));
const list = document.querySelector('#questions');
// The check reads again later.
window.statusOf = async (question_id) => (await seller.questions.get({ question_id })).status;
window.plainStatusOf = async (id) => (await (await fetch(`/api/questions/${id}`)).json()).status;
const outcome = document.querySelector('#outcome');

try {
  let last;
  for await (const question of seller.questions.search({ seller_id, limit: 2 })) {
    list.append(Object.assign(document.createElement('li'), { textContent: question.text }));
    last = question.id;
  }
  await seller.questions.answer({ question_id: last, text: 'Yes.' });
  await seller.questions.answer({ question_id: last, text: 'Yes!' });
} catch (error) {
  outcome.textContent = error instanceof QuestionNotOpenError ? 'Somebody was faster.' : String(error);
}

// A page may have a marketplace of its own, as in a demonstration or a catalogue of components.
const marketplace = new FakeMarketplace();
const { user_id } = marketplace.addUser();
const { site_id, service_id } = marketplace.flex.subscribe({ user_id });
const own = marketplace.clientFor({ user_id });
const { id } = await own.messages.upload({ site_id, file: new Blob(['%PDF-1.7']), filename: 'invoice.pdf' });
const select = { address: { zip_code: true } };
const { address } = await own.flex.configuration({ site_id, service_id, user_id, select });
document.querySelector('#own').textContent = `${typeof id} ${Object.keys(address).join()}`;
