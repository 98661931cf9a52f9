import { ApiError, NoQuestionsError, SellerClient } from 'marketplace-seller-sdk';
import { barsOf } from '../bars.ts';
import { printSubscriptions } from './flex.ts';
import type { Narrator } from './narrator.ts';
import { printTimes } from './response-time.ts';

interface Service {
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly user_id: string;
  /** The site of the seller. Without it, no Flex subscriptions are read. */
  readonly site_id?: string | undefined;
}

/** Reads from a real service and changes nothing. */
export async function readFrom(
  { baseUrl, accessToken, user_id, site_id }: Service,
  say: Narrator,
): Promise<void> {
  const seller = new SellerClient({ baseUrl, accessToken, middleware: [say.wire] });
  say.title(`Seller ${user_id}`, `read-only, from ${new URL(baseUrl).host}`);

  say.heading('Open questions', Date.now());
  const search = seller.questions.search({ seller_id: user_id, filters: { status: 'UNANSWERED' } });
  const open = await search.toArray({ max: 10 });
  for (const { from, text, item_id } of open)
    say.quote(`${from?.id ?? 'Unknown'}`, item_id ?? '', text ?? '');
  say.good(open.length === 0 ? 'None.' : `${open.length}${open.length === 10 ? ' or more' : ''}.`);

  say.heading('Response time', Date.now());
  try {
    printTimes(say, await seller.questions.responseTime({ user_id }));
  } catch (error) {
    if (!(error instanceof NoQuestionsError)) throw error;
    say.line('There were no questions yet, so there is no response time.');
  }

  say.heading('Clicks on "See phone" per day', Date.now());
  await orError(say, async () => {
    say.chart(
      barsOf(
        await seller.contacts.phoneViews.windowOfUser({ user_id, last: 7, unit: 'day' }),
        say.barWidth,
      ),
    );
  });

  say.heading('Flex subscriptions', Date.now());
  if (site_id) await orError(say, () => printSubscriptions(say, seller, { site_id, user_id }));
  else say.line('Set SELLER_SITE_ID, e.g. to MLA, to read them.');
  say.end();
}

/** Prints an error response and continues, because some sellers do not have all resources. */
async function orError(say: Narrator, read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say.bad(error.message);
  }
}
