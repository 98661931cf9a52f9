import type { ModerationReason } from '../resources/post-sale/message.js';
import { moderationOf } from './state/moderation.js';

/**
 * The behaviour that the specification leaves open. Change a field at any time, e.g.
 * `marketplace.settings.capPerOption = 3`.
 */
export interface MarketplaceSettings {
  /**
   * Which calls need `tag=post_sale`: every call below `/messages`, or only those that the specification names.
   * OPTIONS needs no tag.
   *
   * @default 'all', or 'documented' with `follow: 'documents'`
   */
  postSaleTag: 'all' | 'documented';
  /** The default page size of a conversation. @default 10, or 50 with `follow: 'documents'` */
  conversationPageSize: number;
  /** The largest page of any list; a larger `limit` is reduced to it. @default 100 */
  maxPageSize: number;
  /**
   * Whether a closed question and an inactive item have their own error codes.
   *
   * @default true, or `false` with `follow: 'documents'`
   */
  detailedAnswerErrors: boolean;
  /**
   * Whether the response to an option is reduced: no `from`, `site_id`, `subject`.
   *
   * @default true, or `false` with `follow: 'documents'`
   */
  reducedOptionResponse: boolean;
  /**
   * The multi-get of items: `{ code, body }` per id, or the bare object.
   *
   * @default 'wrapped', or 'bare' with `follow: 'documents'`
   */
  itemStatusShape: 'wrapped' | 'bare';
  /**
   * The order of the entries of both multi-gets of items: that of the ids, or another one at each call. The live service
   * was seen to do either.
   *
   * @default 'asked'
   */
  itemOrder: 'asked' | 'any';
  /**
   * What an entry of `/items/bulk` has beside its `body` when `attributes` are given. `coded`: its `status_code`, and a 403 for
   * every entry if anything but `body` is named. `selected`: only what is named, so that an item that could not be read is `{}`,
   * behind the others.
   *
   * @default 'coded'
   */
  bulkEntries: 'coded' | 'selected';
  /**
   * What a change of Flex settings leaves out: it is switched off, or it stays. The live service takes the delivery ranges
   * and the list of zones as a whole.
   *
   * @default 'dropped', or 'kept' with `follow: 'documents'`
   */
  omittedFlexSettings: 'dropped' | 'kept';
  /**
   * What `flexV2.items.disable` says of an item that is out of Flex: 400 `already`, 403 `down`, or 204 `done`. The documents do not
   * say it, nor the next three.
   *
   * @default 'already'
   */
  flexRepeatedDelete: 'already' | 'down' | 'done';
  /** What `flexV2.subscriptions` says of a seller without Flex: 404, 403, or an empty list. @default 'not_found' */
  flexWithoutSubscription: 'not_found' | 'forbidden' | 'empty';
  /** What `selected: true` of a holiday means: the seller rests, or delivers. @default 'rests' */
  flexHolidaySelected: 'rests' | 'delivers';
  /** Whether `flexV2.setHolidays` replaces the whole list, or only the days in it. @default 'whole' */
  flexHolidayList: 'whole' | 'part';
  /**
   * The shape of a message that is read by id: the current one, in a list `messages` of one entry or by itself, or the
   * legacy one. How the service selects it is not documented.
   *
   * @default 'wrapped'
   */
  messageShape: 'wrapped' | 'legacy' | 'current';
  /**
   * Whether responses also have the fields that only the live service sends: of a question, a subscription and its
   * configuration, an option, a search and a conversation.
   *
   * @default true, or `false` with `follow: 'documents'`
   */
  liveFields: boolean;
  /** The number of messages per action guide option until the buyer replies. @default 1 */
  capPerOption: number;
  /**
   * How long an option is locked while it is sent, in milliseconds of the machine's time. Over HTTP, concurrent calls arrive with
   * longer gaps, so `listen()` and the command line use a longer time, which also is that of an item whose Flex changes.
   *
   * @default 10, or 150 over HTTP
   */
  optionLockMs: number;
  /**
   * Returns why moderation rejects a text, or `undefined`.
   *
   * @default rejects insults, links, personal data, external payment
   */
  moderate: (text: string) => ModerationReason | undefined;
  /**
   * When a file that no message uses expires, in milliseconds.
   *
   * @default 48 hours, or never with `follow: 'documents'`
   */
  attachmentLifetimeMs: number;
  /** The accepted file extensions in lower case, e.g. `['pdf']`; `null` accepts every file. @default null */
  attachmentExtensions: readonly string[] | null;
  /** The days and hours of contact windows: in UTC, or in the time zone of the seller's site. @default 'utc' */
  contactTimeZone: 'utc' | 'site';
  /** Whether contact metrics need a token. @default false */
  contactsNeedToken: boolean;
  /**
   * The user whose token alone may read the list of missed notifications, as applications were seen that need their owner's; `null`:
   * any token of the application.
   *
   * @default null
   */
  missedFeedsOwner: number | null;
  /** The largest `last` of a contact window. @default 1000 */
  maxWindowIntervals: number;
  /** The largest number of `ids` in one call for items. @default 20, or 100 with `follow: 'documents'` */
  maxItemIds: number;
  /** The largest number of `ids` in one call for contact metrics. @default 100 */
  maxIds: number;
  /** The lifetime of an access token from `POST /oauth/token`, in seconds. @default 21600 */
  accessTokenLifetimeSeconds: number;
  /** Allows calls from browsers at any origin (CORS). @default false */
  cors: boolean;
}

const hour = 3_600_000;

/** The `optionLockMs` of a marketplace that does not listen. */
export const lockMsInProcess = 10;

/** The `optionLockMs` of a marketplace that listens on a port. */
export const optionLockMsOverHttp = 150;

/** Returns the default settings: those of the live service, or those of the specification alone. */
export function defaultSettings(follow: 'live' | 'documents'): MarketplaceSettings {
  const isLive = follow === 'live';
  return {
    postSaleTag: isLive ? 'all' : 'documented',
    conversationPageSize: isLive ? 10 : 50,
    maxPageSize: 100,
    detailedAnswerErrors: isLive,
    reducedOptionResponse: isLive,
    itemStatusShape: isLive ? 'wrapped' : 'bare',
    itemOrder: 'asked',
    bulkEntries: 'coded',
    liveFields: isLive,
    omittedFlexSettings: isLive ? 'dropped' : 'kept',
    flexRepeatedDelete: 'already',
    flexWithoutSubscription: 'not_found',
    flexHolidaySelected: 'rests',
    flexHolidayList: 'whole',
    messageShape: 'wrapped',
    capPerOption: 1,
    optionLockMs: lockMsInProcess,
    moderate: moderationOf,
    attachmentLifetimeMs: isLive ? 48 * hour : Infinity,
    attachmentExtensions: null,
    contactTimeZone: 'utc',
    contactsNeedToken: false,
    missedFeedsOwner: null,
    maxWindowIntervals: 1000,
    maxItemIds: isLive ? 20 : 100,
    maxIds: 100,
    accessTokenLifetimeSeconds: 21_600,
    cors: false,
  };
}
