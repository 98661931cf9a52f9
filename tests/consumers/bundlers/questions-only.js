import { QuestionNotOpenError, Questions, createHttpClient } from 'marketplace-seller-sdk';

/** The same with the one resource that is used. */
export async function answerAll(baseUrl, accessToken, seller_id) {
  const questions = new Questions(createHttpClient({ baseUrl, accessToken }));
  const answered = [];
  for await (const { id } of questions.search({ seller_id, filters: { status: 'UNANSWERED' } })) {
    await questions.answer({ question_id: id, text: 'Yes.' });
    answered.push(id);
  }
  const again = await questions.answer({ question_id: answered[0], text: 'Yes!' }).catch((error) => error);
  return { answered: answered.length, isRejected: again instanceof QuestionNotOpenError };
}
