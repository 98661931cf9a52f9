/**
 * What to do when the response to a write is lost: find out what happened before you retry.
 *
 *   node examples/lost-response.ts
 */
import { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: account.user_id });
const { id: question_id } = marketplace.ask({
  from: marketplace.addUser(),
  item_id,
  text: 'Is it in stock?',
});
const seller = marketplace.clientFor(account);

// The connection breaks after the marketplace has saved the answer. The seller cannot know that.
marketplace.faults.inject({ endpoint: endpoints.questions.answer, reset: 'after' });
try {
  await seller.questions.answer({ question_id, text: 'Yes.' });
} catch (error) {
  if (!(error instanceof OutcomeUnknownError)) throw error;
  console.log(error.message);
  const { done } = await error.confirm();
  if (done === true) console.log('The answer was saved. Do not send it again.');
  else if (done === false) console.log('The answer was not saved. Send it again.');
  else console.log('The outcome cannot be determined. Check the question yourself.');
}
