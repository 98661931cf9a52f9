import { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { question_id, seller } from '../seller';

/** Answers a question as the first page of the documentation does, and says what became of it. */
export async function GET() {
  const { status } = await seller.questions.get({ question_id });
  try {
    await seller.questions.answer({ question_id, text: 'Yes.' });
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    return Response.json({ status, confirmation: (await error.confirm()).done });
  }
  return Response.json({ status });
}
