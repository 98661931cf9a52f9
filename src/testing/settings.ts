import { defined } from '../core/json/json.js';
import * as s from '../core/schema/define.js';
import type { Output, Schema } from '../core/schema/schema.js';
import type { ModerationReason } from '../resources/post-sale/message.js';
import { assertFields, FakeMarketplaceError, readAs } from './errors.js';

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
  /**
   * What the 401 of a token that is not valid says: why, or one of the two bodies of the live service, with the code `unauthorized` or
   * `not_found`.
   *
   * @default 'explained'
   */
  invalidToken: 'explained' | 'unauthorized' | 'not_found';
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
    invalidToken: 'explained',
    accessTokenLifetimeSeconds: 21_600,
    cors: false,
  };
}

const shortLinks = /\b(bit\.ly|tinyurl\.com|goo\.gl|t\.co|ow\.ly|is\.gd|cutt\.ly|rb\.gy)\b/i;
const socialNetworks =
  /\b(facebook|instagram|whats ?app|telegram|tiktok|twitter|linkedin)\b|\b(fb\.me|wa\.me|t\.me)\b|(^|\s)@[a-z_]\w{2,}/i;
const email = /[\w.+-]+@[\w-]+\.[a-z]{2,}/i;
const phone = /(?:\+|\b)\d[\d\s().-]{6,}\d\b/g;
const payment = /\b(paypal|bizum|western union|cbu|pix)\b/i;
const evasion = /\b(cancel|close|withdraw) (the|your) claim\b|\bcerr(ar|á|e) el reclamo\b/i;
const foul = /\b(idiot|stupid|imbecile|bastard|idiota|est[uú]pid[oa]|imb[eé]cil|hijo de puta|porra|merda|mierda)\b/i;

/**
 * Returns the reason why moderation rejects a text; `undefined` when it accepts the text.
 *
 * It looks for the specification's reasons: foul language, links to social networks, short links, personal data,
 * external payment, and requests to close a claim.
 */
function moderationOf(text: string): ModerationReason | undefined {
  if (foul.test(text)) return 'OUT_OF_PLACE_LANGUAGE';
  if (shortLinks.test(text)) return 'LINK_SHORT_URL';
  if (email.test(text) || hasPhone(text)) return 'PERSONAL_DATA';
  if (socialNetworks.test(text)) return 'SOCIAL_NETWORK_LINK';
  if (payment.test(text)) return 'MARKETPLACE_LINKS_EXTERNAL_PAYMENT';
  if (evasion.test(text)) return 'EVASION_CLAIM_SELLER';
  return undefined;
}

/** A phone number has 8 to 15 digits, with a plus sign, spaces, dots, parentheses or dashes. */
function hasPhone(text: string): boolean {
  return [...text.matchAll(phone)].some(([found]) => {
    const digits = found.replace(/\D/g, '').length;
    return digits >= 8 && digits <= 15 && /[+\s()-]/.test(found) && !/^\d{4}-\d{2}-\d{2}$/.test(found);
  });
}

/** An integer in a range. */
export function from(min: number, max: number): Schema<number> {
  return s.refine(s.integer, (value) => (value < min || value > max ? `an integer from ${min} to ${max}` : undefined));
}

/** A share of all, from 0 to 1. */
export const share = s.refine(s.number, (value) => (value < 0 || value > 1 ? 'a share is from 0 to 1' : undefined));

/** The settings that a seed or a control call can change; the limits keep every response small enough for this process. */
export const settingsChange = s.strictObject({
  postSaleTag: s.optional(s.enumOf('all', 'documented')),
  conversationPageSize: s.optional(from(1, 1000)),
  maxPageSize: s.optional(from(1, 1000)),
  detailedAnswerErrors: s.optional(s.boolean),
  reducedOptionResponse: s.optional(s.boolean),
  itemStatusShape: s.optional(s.enumOf('wrapped', 'bare')),
  itemOrder: s.optional(s.enumOf('asked', 'any')),
  bulkEntries: s.optional(s.enumOf('coded', 'selected')),
  capPerOption: s.optional(from(0, 1000)),
  optionLockMs: s.optional(from(0, 60_000)),
  attachmentLifetimeMs: s.nullish(from(0, Number.MAX_SAFE_INTEGER)),
  attachmentExtensions: s.nullish(s.array(s.string)),
  contactTimeZone: s.optional(s.enumOf('utc', 'site')),
  contactsNeedToken: s.optional(s.boolean),
  missedFeedsOwner: s.nullish(s.integer),
  maxWindowIntervals: s.optional(from(1, 5000)),
  maxItemIds: s.optional(from(1, 200)),
  maxIds: s.optional(from(1, 200)),
  invalidToken: s.optional(s.enumOf('explained', 'unauthorized', 'not_found')),
  accessTokenLifetimeSeconds: s.optional(from(1, 1_000_000_000)),
  cors: s.optional(s.boolean),
  liveFields: s.optional(s.boolean),
  omittedFlexSettings: s.optional(s.enumOf('dropped', 'kept')),
  flexRepeatedDelete: s.optional(s.enumOf('already', 'down', 'done')),
  flexWithoutSubscription: s.optional(s.enumOf('not_found', 'forbidden', 'empty')),
  flexHolidaySelected: s.optional(s.enumOf('rests', 'delivers')),
  flexHolidayList: s.optional(s.enumOf('whole', 'part')),
  messageShape: s.optional(s.enumOf('wrapped', 'legacy', 'current')),
});
interface SettingsChange extends Output<typeof settingsChange> {}

/** A rate limit. */
export const rateLimit = s.strictObject({
  perSecond: s.nullish(from(1, 10_000)),
  perMinute: s.nullish(from(1, 10_000)),
  per: s.nullish(s.enumOf('application', 'user')),
  retryAfter: s.nullish(s.boolean),
});

/** Changes settings, all or none. @throws {FakeMarketplaceError} that names each invalid field */
export function changeSettings(settings: MarketplaceSettings, change: object): void {
  if ('moderate' in change) throw new FakeMarketplaceError('`moderate` is a function; set it in the process');
  assertFields('settings', change, Object.keys(settings));
  applySettings(settings, readAs(settingsChange, change));
}

/** Changes settings that were checked. `null` as the lifetime of a file: it never expires. */
export function applySettings(settings: MarketplaceSettings, change: SettingsChange): void {
  const { attachmentLifetimeMs, ...others } = change;
  if (attachmentLifetimeMs !== undefined) settings.attachmentLifetimeMs = attachmentLifetimeMs ?? Infinity;
  Object.assign(settings, defined(others));
}
