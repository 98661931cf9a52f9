import { InvalidInputError, QuestionNotOpenError } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/** Each error has a class: error responses of the service, and invalid input, which is never sent. */
export const errors: Chapter = {
  title: 'Errors are caught by their class',
  at: '2026-03-02T10:00:00-03:00',

  async play({ say, client, seller }) {
    const answered = await client.questions.search({ seller_id: seller.user_id }).first();
    const question_id = answered?.id ?? 0;

    say.code('await seller.questions.answer({ question_id, text: "Yes." }); // again');
    try {
      await client.questions.answer({ question_id, text: 'Yes.' });
    } catch (error) {
      if (!(error instanceof QuestionNotOpenError)) throw error;
      say.error(error);
      say.line(`  status ${error.status}, code ${error.code ?? 'none'}: a question takes only one answer.`);
    }

    say.code('await seller.questions.answer({ question_id, text: "x".repeat(2001) });');
    try {
      await client.questions.answer({ question_id, text: 'x'.repeat(2001) });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      say.error(error);
    }
  },
};
