import { ApiError, NoQuestionsError, SellerClient } from 'marketplace-seller-sdk';
import { barsOf } from '../bars.ts';
import { tellSubscriptions } from './flex.ts';
import type { Narrator } from './narrator.ts';
import { tellTimes } from './response-time.ts';

interface Service {
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly user_id: string;
  /** Without it nothing is read of Flex. */
  readonly site_id?: string | undefined;
}

/** The part of the day that changes nothing, against a service. */
export async function readFrom({ baseUrl, accessToken, user_id, site_id }: Service, say: Narrator): Promise<void> {
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

  say.heading('Clicks on "See phone", day by day', Date.now());
  await orRefused(say, async () => {
    say.chart(barsOf(await seller.contacts.phoneViews.windowOfUser({ user_id, last: 7, unit: 'day' }), 32));
  });

  say.heading('The Flex subscriptions', Date.now());
  if (site_id) await orRefused(say, () => tellSubscriptions(say, seller, { site_id, user_id }));
  else say.line('They are read where SELLER_SITE_ID says the site, such as MLA.');
  say.end();
}

/** Not every seller has everything: what the service refuses is told, and the reading goes on. */
async function orRefused(say: Narrator, read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say.bad(error.message);
  }
}
