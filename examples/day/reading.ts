import { NoQuestionsError, SellerClient } from 'marketplace-seller-sdk';
import type { Narrator } from './narrator.ts';
import { tellTimes } from './response-time.ts';

/** The part of the day that changes nothing, against a service. */
export async function readFrom(
  { baseUrl, accessToken, user_id }: { baseUrl: string; accessToken: string; user_id: string },
  say: Narrator,
): Promise<void> {
  const seller = new SellerClient({ baseUrl, accessToken, middleware: [say.wire] });
  say.title(`Seller ${user_id}`, `read from ${new URL(baseUrl).host}; nothing is changed`);

  say.heading('Open questions', Date.now());
  const search = seller.questions.search({ seller_id: user_id, filters: { status: 'UNANSWERED' } });
  const open = await search.toArray({ max: 10 });
  for (const { from, text, item_id } of open) say.quote(`${from?.id ?? 'Somebody'}`, item_id ?? '', text ?? '');
  say.good(open.length === 0 ? 'None.' : `${open.length}${open.length === 10 ? ' or more' : ''}.`);

  say.heading('The response time', Date.now());
  try {
    tellTimes(say, await seller.questions.responseTime({ user_id }));
  } catch (error) {
    if (!(error instanceof NoQuestionsError)) throw error;
    say.line('There were no questions yet, so there is none.');
  }
  say.end();
}
