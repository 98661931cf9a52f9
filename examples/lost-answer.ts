/**
 * What to do when the answer to a write is lost: find out, and only then repeat it.
 *
 *   node examples/lost-answer.ts
 */
import { OutcomeUnknownError, endpoints } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();
const { item_id } = marketplace.addItem({ seller_id: account.user_id });
const { id: question_id } = marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is there stock?' });
const seller = marketplace.clientFor(account);

// The connection breaks after the marketplace has acted: the seller cannot know.
marketplace.faults.inject({ endpoint: endpoints.questions.answer, reset: 'after' });
try {
  await seller.questions.answer({ question_id, text: 'Yes.' });
} catch (error) {
  if (!(error instanceof OutcomeUnknownError)) throw error;
  console.log(error.message);
  const { done } = await error.confirm();
  console.log(done === true ? 'It had arrived: nothing to repeat.' : 'It had not, or nobody can tell: look again.');
}
