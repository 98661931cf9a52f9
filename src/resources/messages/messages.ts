import type { ApiPromise, Requester } from '../../core/operation/api-promise.js';
import type { Download } from '../../core/files/download.js';
import type { CallOptions, DownloadProgress, UploadProgress } from '../../core/scope/call-options.js';
import { pagedCalls, type Paged } from '../../core/paging/paged.js';
import type { ActionGuide } from '../action-guide/action-guide.js';
import type { Message, SentMessage } from '../post-sale/message.js';
import { openChannel, contact, reply } from './contact.js';
import type { OpenChannel, ChannelMessage, ReplyContent } from './contact.js';
import { messageEndpoints } from './endpoints.js';
import type { MessageInputs, ConversationExtra, UnreadMessages, UploadParams, UploadedAttachment } from './schemas.js';

/** The messages of a pack. Each page also has the status of the conversation and the length limits. */
export interface Conversation extends Paged<Message, ConversationExtra> {}

/** Call options of an upload. `timeoutMs` limits the time between two chunks of the file, not the whole upload. */
export interface UploadOptions extends CallOptions {
  /**
   * Called when chunks of the file have been sent. In browsers, it is called only at the start and at the end. Its
   * errors are ignored.
   *
   * @default none
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Call options of a download. `timeoutMs` limits the time between two chunks of the file, not the whole download. */
export interface DownloadOptions extends CallOptions {
  /**
   * Called when chunks of the file have been received. Its errors are ignored.
   *
   * @default none
   */
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/**
 * Messages between seller and buyer after a sale, and their files.
 *
 * Each conversation belongs to a pack: its id is the order's `pack_id`, or the order's id if `pack_id` is `null`.
 */
export class Messages {
  readonly #requester: Requester;
  readonly #actionGuide: ActionGuide;

  constructor(requester: Requester, actionGuide: ActionGuide) {
    this.#requester = requester;
    this.#actionGuide = actionGuide;
  }

  /**
   * Iterates over the messages of a pack. Request: GET /messages/packs/{pack_id}/sellers/{user_id}.
   *
   * **Reading marks the messages as read**, and the buyer can see this. `mark_as_read: false` prevents it.
   *
   * @example
   * for await (const message of seller.messages.conversation({ pack_id, user_id: 7, mark_as_read: false })) {
   *   console.log(message.from?.user_id, message.text);
   * }
   * @throws {PackAccessError} when the user of the token is not part of the order, at the first read.
   * @throws {InvalidPagingError} when the service does not accept `limit` or `offset`.
   */
  conversation(input: MessageInputs['conversationParams'], options?: CallOptions): Conversation {
    return pagedCalls(this.#requester, messageEndpoints.conversation, input, options, {
      key: (message) => message.id,
      read: ({ messages, paging, ...extra }) => ({
        items: messages,
        total: paging?.total,
        limit: paging?.limit,
        extra,
      }),
    });
  }

  /**
   * Reads one message. The service has a current, a legacy and a wrapped shape of a message; the result always has the
   * current shape. `originalOf` returns the message in the shape that the service sent.
   * Request: GET /messages/{message_id}.
   *
   * @example
   * const message = await seller.messages.get({ message_id: '0a1b2c' });
   * console.log(message?.text);
   * @throws {MessageNotFoundError} when the message does not exist; the service responds with 400.
   * @throws {MessageAccessError} when the user of the token is not allowed to read the message.
   * @throws {MessageNotReadyError} when the service cannot read the message yet, also at the last retry.
   */
  get(input: MessageInputs['getMessageParams'], options?: CallOptions): ApiPromise<Message> {
    return this.#requester.call(messageEndpoints.get, input, options);
  }

  /**
   * Returns the conversations of the seller that contain unread messages: at most 500, without pages. It marks nothing as
   * read. The specification does not have this operation, but the service does. Request: GET /messages/unread.
   *
   * Only `conversation` marks messages as read. A `count` may include a message that moderation hides, so it may never
   * become 0.
   *
   * @example
   * const { results } = await seller.messages.unread();
   * for (const { pack_id, count } of results) console.log(pack_id, count);
   */
  unread(input: Readonly<Record<string, never>> = {}, options?: CallOptions): ApiPromise<UnreadMessages> {
    return this.#requester.call(messageEndpoints.unread, input, options);
  }

  /**
   * Sends a message to a buyer who has already written, or whose pack is an excepted case. For a first message, use
   * `actionGuide.send`. `contact` selects one of them. Request: POST /messages/packs/{pack_id}/sellers/{user_id}.
   *
   * The response is not documented. If it is the message, check it with `moderationOf(message)`.
   *
   * @example
   * const to = { user_id: 31 };
   * const message = await seller.messages.send({ pack_id, user_id: 7, to, text: 'It leaves today.' });
   * if (moderationOf(message) === 'rejected') console.log('The buyer will not see it:', moderationReasonOf(message));
   * @throws {InvalidInputError} when the text is blank, has more than 350 characters or contains unsupported
   *   characters, when there are more than 25 attachments, or when the receiver is the sender; nothing is sent.
   * @throws {ConversationBlockedError} when the conversation is blocked; `reason` of the error says why.
   * @throws {MediationInProcessError} when a mediation is in process (Brazil).
   * @throws {NotYetDeliveredError} when the purchase is shipped by fulfilment and not yet delivered.
   * @throws {PackAccessError} when the sender is not part of the order.
   * @throws {ReceiverNotInOrderError} when the receiver is not part of the order.
   * @throws {AttachmentNotFoundError} when the service no longer stores an attachment.
   * @throws {ApplicationIdRequiredError} when the token belongs to no application.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  send(input: MessageInputs['sendMessageParams'], options?: CallOptions): ApiPromise<SentMessage | undefined> {
    return this.#requester.call(messageEndpoints.send, input, options);
  }

  /**
   * Uploads a file, which a message must use within 48 hours. Request: POST /messages/attachments.
   *
   * The file must not be empty and may have at most 25 MB. It is streamed, so only a small part of it is in memory.
   *
   * @example
   * const { id } = await seller.messages.upload({ site_id: 'MLA', file: path });
   * const text = 'Here is your invoice.';
   * await seller.messages.send({ pack_id, user_id: 7, to: { user_id: 31 }, text, attachments: [id] });
   * @throws {InvalidInputError} when the file is empty, too large or cannot be read, or its name contains `/` or `\`.
   * @throws {FileStorageError} when the service could not save the file.
   * @throws {OutcomeUnknownError} when the response was lost. You can upload again: the service deletes unused files.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  upload<Source extends UploadParams['file']>(
    input: UploadParams & { readonly file: Source } & (Source extends
        | string
        | URL
        | File
        | Response
        | { readonly stream: ReadableStream<Uint8Array> }
        | (AsyncIterable<Uint8Array> & {
            readonly path: string | Uint8Array;
          })
        ? unknown
        : Source extends Uint8Array | ArrayBuffer | Blob
          ? { readonly filename: string }
          : { readonly filename: string; readonly size: number }),
    options?: UploadOptions,
  ): ApiPromise<UploadedAttachment> {
    return this.#requester.call(messageEndpoints.upload, input, options);
  }

  /**
   * Downloads a file. The call resolves as soon as the file begins to arrive: read it, save it, or `cancel()` it.
   * Request: GET /messages/attachments/{attachment_id}.
   *
   * @example
   * const file = await seller.messages.download({ site_id: 'MLA', attachment_id });
   * await file.saveTo(path);
   * @throws {FileStorageError} when the service could not read the file from its storage.
   */
  download(input: MessageInputs['downloadParams'], options?: DownloadOptions): ApiPromise<Download> {
    return this.#requester.call(messageEndpoints.download, input, options);
  }

  /**
   * Sends a message to the buyer through the open channel. The channel is the conversation if the buyer has written or
   * the pack is an excepted case; otherwise it is the option OTHER of the action guide. It does not mark messages as
   * read.
   *
   * It reads the conversation first and writes to the user whom the conversation shows. `to` is only needed for an
   * excepted case in which nobody has written yet.
   *
   * @example
   * const input = { pack_id, user_id: 7, text: 'Your parcel leaves today.' };
   * const { channel, message } = await seller.messages.contact(input);
   * @returns the message and the channel through which it was sent.
   * @throws {InvalidInputError} when the text is not acceptable, or `to` is not the user whom the conversation shows;
   *   nothing is sent.
   * @throws {NoChannelError} when no message can be sent to the buyer now; `reason` of the error says why, and `cause`
   *   is the service's error.
   * @throws {PackAccessError} when the user of the token is not part of the order.
   * @throws {OutcomeUnknownError} when the response was lost: read the conversation before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  contact(input: MessageInputs['channelMessageParams'], options?: CallOptions): Promise<ChannelMessage> {
    return contact(this.#requester, this.#actionGuide, input, this.#withDeadline(options));
  }

  /**
   * Replies to a message in its conversation. It reads the conversation first, without marking it as read, and writes to
   * the user whom the conversation shows. Request: POST /messages/packs/{pack_id}/sellers/{user_id}.
   *
   * @example
   * const message = await seller.messages.get({ message_id: '5f1b' });
   * await seller.messages.reply(message, 'It leaves today.');
   * @param content the text, or `{ text, attachments }`.
   * @throws {InvalidInputError} when the text is not acceptable, or the message names no pack; nothing is sent.
   * @throws {ConversationBlockedError} when the conversation is blocked; `reason` of the error says why.
   * @throws {PackAccessError} when the user of the token is not part of the order.
   * @throws {OutcomeUnknownError} when the response was lost: read the conversation before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  reply(message: SentMessage, content: ReplyContent, options?: CallOptions): Promise<SentMessage | undefined> {
    return reply(this.#requester, message, content, this.#withDeadline(options));
  }

  /**
   * Finds the open channel to the buyer, the limits of a message and the user to whom it goes. It only reads, and it does not mark messages as
   * read.
   *
   * Call it before you upload a file, because a message through the action guide has no attachments. It cannot detect a
   * mediation or an undelivered fulfilment purchase; `send` reports these.
   *
   * @example
   * const { channel, maxAttachments } = await seller.messages.channel({ pack_id, user_id: 7 });
   * console.log(channel, maxAttachments > 0 ? 'takes files' : 'takes no files');
   * @throws {NoChannelError} when no message can be sent to the buyer now; `reason` of the error says why.
   * @throws {PackAccessError} when the user of the token is not part of the order.
   */
  channel(
    input: Pick<MessageInputs['conversationParams'], 'pack_id' | 'user_id'>,
    options?: CallOptions,
  ): Promise<OpenChannel> {
    return openChannel(this.#requester, this.#actionGuide, input, this.#withDeadline(options));
  }

  /** The options of an operation that makes several calls: one deadline limits all of them together. */
  #withDeadline(options?: CallOptions): CallOptions {
    return { ...options, deadlineMs: options?.deadlineMs ?? this.#requester.deadlineMs };
  }
}
