/**
 * Answers open questions and prints the result of each.
 *
 *   node examples/answer-questions.ts
 *
 * It starts a fake marketplace and calls it over HTTP. To use a real marketplace, set `baseUrl` and
 * `accessToken` of the client to its base URL and your token.
 */
import { BadRequestError, SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import type { Question } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser({ nickname: 'LAMPS' });
const lamp = marketplace.addItem({ seller_id: account.user_id, title: 'A lamp' });
const texts = [
  'Is it in stock?',
  'How heavy is it?',
  'Do you have it in blue?',
  'Is the large one in stock?',
];
const from = marketplace.addUser();
for (const text of texts) marketplace.ask({ from, item_id: lamp.item_id, text });
// No answer reaches these two: one is held back, the item of the other is paused.
marketplace.ask({
  from,
  item_id: lamp.item_id,
  text: 'Write to me elsewhere, is it in stock?',
  hold: true,
});
const sofa = marketplace.addItem({ seller_id: account.user_id, title: 'A sofa', status: 'paused' });
marketplace.ask({ from, item_id: sofa.item_id, text: 'Is the sofa in stock?' });

const { url, close } = await marketplace.listen();
const seller = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(account) });

const unanswered = seller.questions.search({
  seller_id: account.user_id,
  filters: { status: 'UNANSWERED' },
});
for await (const question of unanswered) {
  if (!isAnswerable(question)) continue;
  const text = answerTo(question);
  console.log(
    `${question.text ?? ''}\n  ${text === undefined ? 'left for a person' : await answer(question, text)}`,
  );
}
await close();

/** Returns an automatic answer, or `undefined` if a person should answer. */
function answerTo({ text }: Question): string | undefined {
  return /stock/i.test(text ?? '') ? 'Yes, it is in stock.' : undefined;
}

async function answer(question: Question, text: string): Promise<string> {
  try {
    await seller.questions.answer({ question_id: question.id, text });
    return `answered: ${text}`;
  } catch (error) {
    // Somebody was faster, or the item is paused: the other questions can still be answered.
    if (error instanceof BadRequestError) return `not answered: ${error.message}`;
    throw error;
  }
}
