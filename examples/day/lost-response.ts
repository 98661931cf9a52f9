import { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Chapter } from './stage.ts';

/**
 * The response to a write is lost. The client does not retry it; `error.confirm()` finds out whether it
 * was carried out.
 */
export const lostResponse: Chapter = {
  title: 'A connection breaks after a write was sent',
  at: '2026-03-02T17:30:00-03:00',

  async play({ say, client, clientOf, buyers, items, marketplace }) {
    const text = 'Is the cable long?';
    const asked = await clientOf(buyers.ines).questions.ask({ item_id: items.kettle.item_id, text });
    say.quote(buyers.ines.nickname, items.kettle.title, text);

    marketplace.faults.inject({ endpoint: endpoints.questions.answer, reset: 'after' });
    say.code('await seller.questions.answer({ question_id, text });');
    try {
      await client.questions.answer({ question_id: asked?.id ?? 0, text: '1.5 metres.' });
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error;
      say.error(error);
      say.code('await error.confirm();');
      const { done } = await error.confirm();
      if (done === true) say.good('The answer was saved. It is not sent again.');
      else say.bad('The answer was not saved, or the outcome cannot be determined.');
    }
  },
};
