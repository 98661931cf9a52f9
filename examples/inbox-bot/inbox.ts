import { BadRequestError, SellerClient, isAnswerable } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox } from 'marketplace-seller-sdk/inbox';
import { createSellers } from 'marketplace-seller-sdk/oauth';
import type { Sellers, SellersOptions } from 'marketplace-seller-sdk/oauth';

/** Creates the clients of the sellers that have tokens. */
export function sellersOf(
  baseUrl: string,
  { tokens, refresh }: Pick<SellersOptions, 'tokens' | 'refresh'>,
): Sellers {
  const client = new SellerClient({ baseUrl, unknownOutcome: 'confirm' });
  const onRevoked = ({ user_id }: { user_id: number }): void =>
    console.log(`seller ${user_id} has revoked the application`);
  return createSellers({ client, tokens, refresh, onRevoked });
}

/** What the inbox of the bot needs. */
interface Settings {
  readonly sellers: Sellers;
  /** The SQLite file of the inbox. */
  readonly file: string;
  /** Where the service delivers: a path that nobody else can guess. */
  readonly path?: string | undefined;
}

/** Creates the inbox of the bot: it answers the questions of the sellers. */
export function inboxOf({ sellers, file, path }: Settings): Inbox {
  return createInbox({
    store: sqliteStore(file),
    path, // notifications have no signature
    clientFor: sellers.for, // nobody else's notifications are handled
    // At the start, and every 15 minutes, the bot looks for questions whose notification never came.
    sellers,
    on: {
      questions: async ({ user_id }, { read, client }) => {
        // Anybody can post a notification. Trust only the state that the service returns.
        const question = await read();
        const { id, seller_id, text } = question;
        if (seller_id !== user_id || !isAnswerable(question)) return;
        const answer = /stock|available/i.test(text ?? '') && 'Yes, it is in stock.';
        try {
          if (answer) await client.questions.answer({ question_id: id, text: answer });
          console.log(`seller ${user_id}: question ${id} is ${answer ? 'answered' : 'left for a person'}`);
        } catch (error) {
          if (!(error instanceof BadRequestError)) throw error; // the inbox tries again later
          console.log(`seller ${user_id}: question ${id} takes no answer: ${error.message}`); // e.g. its item is paused
        }
      },
    },
    onFailure: ({ error, attempt, dead }) =>
      console.error(`attempt ${attempt} failed${dead ? ' for good' : ''}:`, error),
  });
}
