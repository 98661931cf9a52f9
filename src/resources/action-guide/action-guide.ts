import type { Input } from '../../core/schema/schema.js';
import type { ApiPromise, Attributed, WithAttributes, Requester } from '../../core/operation/api-promise.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import type { SentMessage } from '../post-sale/message.js';
import { actionGuideEndpoints } from './endpoints.js';
import type { actionGuideSchemas, ActionGuideResponse, LaterOption, OptionCap, SendOptionParams } from './schemas.js';

/**
 * The options with which a seller can send the first message to a buyer. After the buyer has replied, use
 * `messages.send`. `messages.contact` finds the open channel and uses it.
 */
export class ActionGuide {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Returns the options of a pack. Request: GET /messages/action_guide/packs/{pack_id}.
   *
   * @example
   * const { options } = await seller.actionGuide.options({ pack_id });
   * for (const { id, cap_available } of options) console.log(id, cap_available);
   * @throws {ExceptedCaseError} when the pack needs no option (autoparts, manufacturing time): use `messages.send`.
   * @throws {ConversationBlockedError} when the pack's messages are blocked.
   * @throws {PackAccessError} when the user of the token is not part of the pack.
   */
  options(input: Input<typeof actionGuideSchemas.packParams>, options?: CallOptions): ApiPromise<ActionGuideResponse> {
    return this.#requester.call(actionGuideEndpoints.options, input, options);
  }

  /**
   * Returns how many messages can still be sent with each option.
   * Request: GET /messages/action_guide/packs/{pack_id}/caps_available.
   *
   * @example
   * for (const { option_id, cap_available } of await seller.actionGuide.caps({ pack_id })) {
   *   console.log(option_id, cap_available);
   * }
   * @throws {ExceptedCaseError} when the pack needs no option: use `messages.send`.
   * @throws {ConversationBlockedError} when the pack's messages are blocked.
   * @throws {PackAccessError} when the user of the token is not part of the pack.
   */
  caps<const Name extends keyof OptionCap = keyof OptionCap>(
    input: Input<typeof actionGuideSchemas.packParams>,
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<OptionCap, Name>[]> {
    return this.#requester.call(actionGuideEndpoints.caps, input, options);
  }

  /**
   * Sends a message through an option. Request: POST /messages/action_guide/packs/{pack_id}/option.
   *
   * The service returns the message without some fields, for example without `from`. **If moderation rejects the
   * message, the call still succeeds**: check the result with `moderationOf(message)`.
   *
   * @example
   * const message = await seller.actionGuide.send({ pack_id, option_id: 'OTHER', text: 'Your parcel leaves today.' });
   * if (moderationOf(message) === 'rejected') console.log(moderationReasonOf(message));
   * @throws {InvalidInputError} when the fields do not fit the option; nothing is sent.
   * @throws {OptionNotOfferedError} when the pack does not have this option.
   * @throws {InvalidTemplateError} when the option does not have this template.
   * @throws {InvalidTextError} when the text is not acceptable.
   * @throws {CapExhaustedError} when the option is used up until the buyer replies.
   * @throws {ExceptedCaseError} when the pack needs no option: use `messages.send`.
   * @throws {ActionGuideLockedError} when the service was processing another option of this sale, also at the last retry.
   * @throws {ConversationBlockedError} when the pack's messages are blocked.
   * @throws {PackAccessError} when the user of the token is not part of the pack.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  send<const Id extends string>(
    input: SendOptionParams | LaterOption<Id>,
    options?: CallOptions,
  ): ApiPromise<SentMessage | undefined> {
    return this.#requester.call(actionGuideEndpoints.send, input as SendOptionParams, options);
  }
}
