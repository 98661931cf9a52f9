// A page with a seller and a marketplace of its own. It imports every entry that a browser can use.
import { QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

export async function answerOne() {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: account.user_id });
  const { id: question_id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'One?' });
  const { fetch, baseUrl } = marketplace;
  const seller = new SellerClient({ baseUrl, fetch, accessToken: marketplace.tokenFor(account) });
  const notified = [];
  const inbox = createInbox({
    store: memoryStore(),
    on: { questions: ({ question_id: id }) => void notified.push(id) },
  });
  const body = JSON.stringify({ topic: 'questions', resource: `/questions/${question_id}`, user_id: account.user_id });
  const headers = { 'content-type': 'application/json' };
  await fetchHandler(inbox)(new Request('https://app.test/notifications', { method: 'POST', headers, body }));
  await inbox.idle();
  await inbox.close();
  const answered = await seller.questions.answer({ question_id, text: 'Yes.' });
  const again = await seller.questions.answer({ question_id, text: 'Yes!' }).catch((error) => error);
  return {
    isNotified: notified.includes(question_id),
    isQuestion: endpoints.questions.get.output.safeParse(answered).success,
    isRejected: again instanceof QuestionNotOpenError,
  };
}
