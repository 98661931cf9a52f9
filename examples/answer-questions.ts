/**
 * Answers what waits to be answered, and says what came of it.
 *
 *   node examples/answer-questions.ts
 *
 * It sets a fake marketplace up and talks to it over HTTP. For a real one, give its address and your token instead.
 */
import { QuestionNotOpenError, SellerClient } from 'marketplace-seller-sdk';
import type { Question } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser({ nickname: 'LAMPS' });
const lamp = marketplace.addItem({ seller_id: account.user_id, title: 'A lamp' });
const texts = ['Is there stock?', 'How heavy is it?', 'Do you have it in blue?', 'Is there stock of the large one?'];
for (const text of texts) marketplace.ask({ from: marketplace.addUser(), item_id: lamp.item_id, text });

const { url, close } = await marketplace.listen();
const seller = new SellerClient({ baseUrl: url, accessToken: marketplace.tokenFor(account) });

const waiting = seller.questions.search({ seller_id: account.user_id, filters: { status: 'UNANSWERED' } });
for await (const question of waiting) {
  const text = answerTo(question);
  console.log(`${question.text ?? ''}\n  ${text === undefined ? 'left to a person' : await answered(question, text)}`);
}
await close();

/** What can be said without a person; `undefined` where that is nothing. */
function answerTo({ text }: Question): string | undefined {
  return /stock/i.test(text ?? '') ? 'Yes, there is stock.' : undefined;
}

async function answered(question: Question, text: string): Promise<string> {
  try {
    await seller.questions.answer({ question_id: question.id, text });
    return `answered: ${text}`;
  } catch (error) {
    if (error instanceof QuestionNotOpenError) return 'somebody was faster';
    throw error;
  }
}
