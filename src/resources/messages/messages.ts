import type { ApiPromise } from '../../core/api-promise.js';
import type { Requester } from '../../core/endpoint.js';
import type { Download } from '../../core/files/download.js';
import type { DownloadProgress, UploadProgress } from '../../core/files/progress.js';
import type { CallOptions } from '../../core/options/call-options.js';
import { Paged, withLimits, withPage } from '../../core/pagination/paged.js';
import type { PaginationOptions } from '../../core/pagination/paged.js';
import type { WithAttributes } from '../../core/schema/attributes.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import type { Message } from '../post-sale/message.js';
import { openChannel } from './channel.js';
import type { ChannelParams, OpenChannel } from './channel.js';
import { contact } from './contact.js';
import type { ContactParams, ContactResult } from './contact.js';
import * as endpoints from './endpoints.js';
import type {
  DownloadParams,
  ConversationExtra,
  ConversationParams,
  GetMessageParams,
  UploadParams,
  SendMessageParams,
  StoredAttachment,
} from './schemas.js';

/** The messages of a pack; each page also carries the conversation's status and the length limits. */
export interface Conversation extends Paged<Message, ConversationExtra> {}

/** Call options of an upload. `timeoutMs` limits the time between two chunks of the file, not the whole upload. */
export interface UploadOptions extends CallOptions {
  /**
   * Called when chunks of the file have been sent; in a browser only at the start and the end.
   *
   * @default none
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Call options of a download. `timeoutMs` limits the time between two chunks of the file, not the whole download. */
export interface DownloadOptions extends CallOptions {
  /**
   * Called when chunks of the file have been received.
   *
   * @default none
   */
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * Messages between seller and buyer after a sale, and their files. Spec: Messages.
 *
 * A conversation is of a pack: the `pack_id` of the order, or the order's id where its `pack_id` is `null`.
 */
export class Messages {
  readonly #caller: Requester;
  readonly #actionGuide: ActionGuide;

  constructor(caller: Requester, actionGuide: ActionGuide) {
    this.#caller = caller;
    this.#actionGuide = actionGuide;
  }

  /**
   * Iterates over the messages of a pack. Spec: GET /messages/packs/{pack_id}/sellers/{user_id}.
   *
   * **Reading marks the messages as read**, which the buyer can see. `mark_as_read: false` prevents it.
   *
   * @example
   * for await (const message of seller.messages.conversation({ pack_id, user_id: 7, mark_as_read: false })) {
   *   console.log(message.from?.user_id, message.text);
   * }
   * @throws {PackAccessError} at the first read, when the order is not the token's user's.
   * @throws {InvalidPagingError} when the service does not take `limit` or `offset`.
   */
  conversation(input: ConversationParams, options: PaginationOptions = {}): Conversation {
    const { prefetch = 0, ...callOptions } = options;
    return new Paged<Message, ConversationExtra>({
      offset: input.offset ?? 0,
      limit: input.limit,
      prefetch,
      deadlineMs: options.deadlineMs ?? this.#caller.deadlineMs,
      key: (message) => message.id,
      fetch: async (place, limits) => {
        const page = await this.#caller.call(
          endpoints.conversation,
          withPage(input, place),
          withLimits(callOptions, limits),
        );
        const { messages, paging, ...extra } = page;
        return { items: messages, total: paging?.total, limit: paging?.limit, extra };
      },
    });
  }

  /**
   * Reads one message. Whichever of its shapes the service answers in, the current one is delivered; `originalOf`
   * gives the one that came. Spec: GET /messages/{message_id}.
   *
   * @example
   * const message = await seller.messages.get({ message_id: '0a1b2c' });
   * console.log(message?.text);
   * @throws {MessageNotFoundError} when there is no such message; the service says so with 400.
   * @throws {MessageAccessError} when it is not the token's user's.
   * @throws {MessageNotReadyError} when it could not be read yet, also at the last attempt.
   */
  get<const Name extends keyof Message>(
    input: GetMessageParams,
    options: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Pick<Message, Name>>;
  get(input: GetMessageParams, options?: CallOptions): ApiPromise<Message>;
  get(input: GetMessageParams, options?: CallOptions): ApiPromise<Message> {
    return this.#caller.call(endpoints.get, input, options);
  }

  /**
   * Writes to the buyer, once the buyer has written or where the pack is an excepted case; before that, the way is
   * `actionGuide.send`. `contact` finds out which. Spec: POST /messages/packs/{pack_id}/sellers/{user_id}.
   *
   * The answer is not documented: where it is the message, look at it with `isModerated(message)`.
   *
   * @example
   * const to = { user_id: 31 };
   * const message = await seller.messages.send({ pack_id, user_id: 7, to, text: 'It leaves today.' });
   * if (message && isModerated(message)) console.log('The buyer will not see it:', moderationReasonOf(message));
   * @throws {InvalidInputError} when the text is blank, over 350 characters or holds unsupported ones, when there are
   *   over 25 attachments, or the receiver is the sender; nothing is sent.
   * @throws {ConversationBlockedError} when the conversation is blocked; its `reason` says why.
   * @throws {MediationInProcessError} when a mediation is in process (Brazil).
   * @throws {NotYetDeliveredError} when a purchase shipped by fulfilment has not arrived.
   * @throws {PackAccessError} when the sender has no part in the order.
   * @throws {ReceiverNotInOrderError} when the receiver has none.
   * @throws {AttachmentNotFoundError} when a file is not stored any more.
   * @throws {ApplicationIdRequiredError} when the token belongs to no application.
   * @throws {OutcomeUnknownError} when the answer was lost: read the conversation before sending again.
   */
  send(input: SendMessageParams, options?: CallOptions): ApiPromise<Message | undefined> {
    return this.#caller.call(endpoints.send, input, options);
  }

  /**
   * Stores a file, to be sent with a message within 48 hours. Spec: POST /messages/attachments.
   *
   * The file is streamed: however large, little of it is in memory. At most 25 MB, not empty.
   *
   * @example
   * const { id } = await seller.messages.upload({ site_id: 'MLA', file: path });
   * const text = 'Here is your invoice.';
   * await seller.messages.send({ pack_id, user_id: 7, to: { user_id: 31 }, text, attachments: [id] });
   * @throws {InvalidInputError} when the file is empty, too large or cannot be read, or its name holds `/` or `\`.
   * @throws {FileStorageError} when the service could not save it.
   * @throws {OutcomeUnknownError} when the answer was lost. Uploading again does no harm: an unused file vanishes.
   */
  upload(input: UploadParams, options?: UploadOptions): ApiPromise<StoredAttachment> {
    return this.#caller.call(endpoints.upload, input, options);
  }

  /**
   * Fetches a file. It is delivered as it begins to arrive: read it, save it, or `cancel()` it.
   * Spec: GET /messages/attachments/{attachment_id}.
   *
   * @example
   * const file = await seller.messages.download({ site_id: 'MLA', attachment_id });
   * await file.saveTo(path);
   * @throws {FileStorageError} when the service could not fetch it from where it is saved.
   */
  download(input: DownloadParams, options?: DownloadOptions): ApiPromise<Download> {
    return this.#caller.call(endpoints.download, input, options);
  }

  /**
   * Writes to the buyer through the open channel: the action guide's OTHER before the buyer has written, the
   * conversation after, and the conversation for a pack that is an excepted case. The conversation is read
   * without marking it as read.
   *
   * @example
   * const input = { pack_id, user_id: 7, to: { user_id: 31 }, text: 'Your parcel leaves today.' };
   * const { channel, message } = await seller.messages.contact(input);
   * @returns the message, and the channel it was sent through.
   * @throws {InvalidInputError} when the text or the receiver is not acceptable; nothing is sent.
   * @throws {NoChannelError} when the buyer cannot be written to now; its `reason` says why, its `cause` is the service's error.
   * @throws {PackAccessError} when the order is not the token's user's.
   * @throws {OutcomeUnknownError} when the response was lost: read the conversation before writing again.
   */
  contact(input: ContactParams, options?: CallOptions): Promise<ContactResult> {
    return contact(this, this.#actionGuide, input, this.#withDeadline(options));
  }

  /**
   * Finds the open channel to the buyer, and what a message may contain. It only reads, and marks nothing as read.
   *
   * Use it before you upload a file: the option of the action guide takes none. A mediation or an undelivered
   * fulfilment purchase is only found when you send.
   *
   * @example
   * const { channel, maxAttachments } = await seller.messages.channel({ pack_id, user_id: 7 });
   * console.log(channel, maxAttachments > 0 ? 'takes files' : 'takes no files');
   * @throws {NoChannelError} when the buyer cannot be written to now; its `reason` says why.
   * @throws {PackAccessError} when the order is not the token's user's.
   */
  channel(input: ChannelParams, options?: CallOptions): Promise<OpenChannel> {
    return openChannel(this, this.#actionGuide, input, this.#withDeadline(options));
  }

  /** The options of an operation of several calls, which keep the deadline together. */
  #withDeadline(options: CallOptions = {}): CallOptions {
    return { ...options, deadlineMs: options.deadlineMs ?? this.#caller.deadlineMs };
  }
}
