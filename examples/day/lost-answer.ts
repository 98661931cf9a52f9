import { OutcomeUnknownError, endpoints } from 'marketplace-seller-sdk';
import type { Chapter } from './stage.ts';

/** A write whose answer is lost is not repeated blindly: the error finds out what became of it. */
export const lostAnswer: Chapter = {
  title: 'A connection breaks at the worst moment',
  at: '2026-03-02T17:30:00-03:00',

  async tell({ say, client, clientOf, buyers, items, marketplace }) {
    const text = 'Is the cable long?';
    const asked = await clientOf(buyers.ines).questions.ask({ item_id: items.kettle.item_id, text });
    say.quote(buyers.ines.nickname, items.kettle.title, text);

    marketplace.faults.inject({ endpoint: endpoints.questions.answer, reset: 'after' });
    say.code('await seller.questions.answer({ question_id, text });');
    try {
      await client.questions.answer({ question_id: asked?.id ?? 0, text: 'A metre and a half.' });
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error;
      say.error(error);
      say.code('await error.confirm();');
      const { done } = await error.confirm();
      if (done === true) say.good('The answer had arrived: nothing to repeat, and nobody is answered twice.');
      else say.bad('It had not arrived, or nobody can tell.');
    }
  },
};
