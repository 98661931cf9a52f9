import { FifoMap } from '../../work/fifo-map.js';
import type { InboxContext } from '../context.js';
import { caughtUpEntry } from '../entry.js';
import type { InboxEntry } from '../entry.js';
import { addFound } from '../found.js';
import type { ConversationNotification } from '../notification.js';
import { Clients } from './clients.js';
import { Dispatcher } from './dispatcher.js';
import { MissingResources } from './missing.js';
import { ShownMessages } from './shown-messages.js';
import { unansweredIn } from './unread.js';

/** For this many writes it is remembered with which error the service has rejected them. */
const maxRejections = 1_000;

/** What earlier runs of this process have seen. */
export class KnownOfResources {
  readonly missing = new MissingResources();
  readonly shown = new ShownMessages();
  /** The errors of rejected writes, by write: those of entries that are tried again. */
  readonly rejections = new FifoMap<unknown>(maxRejections);
}

interface HandlingInit {
  readonly known?: KnownOfResources | undefined;
  readonly followsModeration?: boolean | undefined;
  /** Has a message handled that was found in a conversation. @default it is added to the store */
  readonly add?: ((found: InboxEntry) => Promise<unknown>) | undefined;
}

/** What the tasks of an inbox have in common. */
export class Handling {
  readonly context: InboxContext;
  readonly clients: Clients;
  readonly dispatcher: Dispatcher;
  readonly known: KnownOfResources;
  /** Whether a message is followed until moderation has decided about it. */
  readonly followsModeration: boolean;
  readonly #add: (found: InboxEntry) => Promise<unknown>;

  constructor(context: InboxContext, init: HandlingInit = {}) {
    this.context = context;
    this.known = init.known ?? new KnownOfResources();
    this.followsModeration = init.followsModeration ?? true;
    this.#add = init.add ?? ((found) => addFound(context, found));
    this.clients = new Clients(context);
    this.dispatcher = new Dispatcher(context, this.clients);
  }

  /** Adds the messages of a conversation that the seller has neither read nor answered. Marks nothing as read. */
  async addMessagesOf(notification: ConversationNotification): Promise<void> {
    const { user_id, pack_id } = notification;
    const client = await this.clients.of(notification);
    const ids = client?.messages ? await unansweredIn(client.messages, pack_id, user_id) : [];
    for (const id of ids)
      await this.#add(await caughtUpEntry(user_id, { topic: 'messages', id, shownIn: pack_id }, Date.now()));
  }
}
