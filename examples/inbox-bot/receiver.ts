import { QuestionNotOpenError, SellerClient, hasStatus } from 'marketplace-seller-sdk';
import type { RefreshingTokenOptions } from 'marketplace-seller-sdk';
import { createReceiver, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { Receiver } from 'marketplace-seller-sdk/notifications';
import { SqliteTokens } from '../sqlite-tokens.ts';

/** What the receiver of the bot needs. */
interface Settings {
  readonly baseUrl: string;
  /** The SQLite file with the tokens of the sellers. The inbox has its own file beside it. */
  readonly path: string;
  /** Exchanges a refresh token for new tokens. */
  readonly refresh: RefreshingTokenOptions['refresh'];
}

/** Creates the receiver of the bot: it answers the questions of each seller that has tokens. */
export function inboxOf({ baseUrl, path, refresh }: Settings): {
  receiver: Receiver;
  tokens: SqliteTokens;
} {
  const tokens = new SqliteTokens(path);
  const clients = new Map<number, SellerClient>();

  /**
   * Returns the client of a seller. Each seller has one client, which holds the seller's rate limit and
   * token.
   */
  function clientFor(user_id: number): SellerClient | undefined {
    const known = clients.get(user_id);
    if (known) return known;
    if (!tokens.load(user_id)) return undefined; // not one of our sellers: the notification is dropped
    const accessToken = tokens.accessToken(user_id, refresh);
    const client = new SellerClient({ baseUrl, accessToken, onUnknownOutcome: 'confirm' });
    clients.set(user_id, client);
    return client;
  }

  const receiver = createReceiver({
    store: sqliteStore({ path: `${path}.inbox` }),
    clientFor,
    // At the start, and every 15 minutes, the bot looks for questions whose notification never came.
    sellers: () => tokens.sellers(),
    on: {
      questions: async ({ user_id }, { read, client }) => {
        // Anybody can post a notification. Trust only the state that the service returns.
        const question = await read();
        const { id, seller_id, text } = question;
        if (seller_id !== user_id || !hasStatus(question, 'UNANSWERED')) return;
        const answer = /stock|available/i.test(text ?? '') && 'Yes, it is in stock.';
        try {
          if (answer) await client.questions.answer({ question_id: id, text: answer });
          console.log(`seller ${user_id}: question ${id} is ${answer ? 'answered' : 'left for a person'}`);
        } catch (error) {
          if (!(error instanceof QuestionNotOpenError)) throw error; // the receiver tries again later
        }
      },
    },
    onFailure: ({ error, attempt, dead }) =>
      console.error(`attempt ${attempt} failed${dead ? ' for good' : ''}:`, error),
  });
  return { receiver, tokens };
}
