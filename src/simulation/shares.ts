/** How often what goes wrong. Those that are left out do not occur. */
export interface FaultShares {
  /** The share of calls whose request is lost, from 0 to 1. */
  readonly requestLost?: number;
  /** The share of calls that are carried out, and whose response is lost. */
  readonly responseLost?: number;
  /** The share of calls that fail with 500 or 503 before anything is done. */
  readonly failedBefore?: number;
  /** The share of calls that are carried out, and fail with 500 or 503. */
  readonly failedAfter?: number;
  /** The share of calls that are rejected with 429, half of them with a `Retry-After`. */
  readonly throttled?: number;
  /** The share of calls that take up to 40 seconds. */
  readonly slow?: number;
  /** The share of notifications that are never sent. */
  readonly notificationLost?: number;
  /** The share of notifications that are sent twice. */
  readonly notificationTwice?: number;
  /** The share of notifications that are sent up to ten minutes late. */
  readonly notificationLate?: number;
  /** How often a day the bot is killed. It starts again after 1 second to 10 minutes. */
  readonly kills?: number;
  /** How often a day the bot is stopped. */
  readonly stops?: number;
  /** How often a day the service answers 503 for up to 20 minutes. */
  readonly outages?: number;
  /** How often a day the bot has no network, for up to 2 hours. */
  readonly offline?: number;
  /** How often a day a quota of 20 calls a minute applies, for up to 20 minutes. */
  readonly quotas?: number;
  /** How often a day messages are moderated up to 30 minutes later. */
  readonly slowModeration?: number;
  /** How often a day a seller revokes the application, for good. */
  readonly revocations?: number;
  /** How far the clock of the bot may be from that of the service, in milliseconds. */
  readonly clockDifferenceMs?: number;
}

/** What may happen to a call, and the name of its share. */
export const callFaults = {
  'request lost': 'requestLost',
  'response lost': 'responseLost',
  'failed before': 'failedBefore',
  'failed after': 'failedAfter',
  throttled: 'throttled',
  slow: 'slow',
} as const;

/** What may happen to a notification, and the name of its share. */
export const notificationFaults = {
  lost: 'notificationLost',
  twice: 'notificationTwice',
  late: 'notificationLate',
} as const;

/** What happens on a day, over all sellers. */
export interface DailyLoad {
  /** Questions of buyers. @default 50 */
  readonly questions?: number;
  /** Sales; about half of the buyers write. @default 16 */
  readonly sales?: number;
  /** Further messages of buyers; every third is followed by a second one within seconds. @default 24 */
  readonly messages?: number;
  /** Sales that are cancelled, which blocks their conversation. @default 2 */
  readonly cancellations?: number;
  /** Questions and messages that a person of the seller's team answers by hand. @default 6 */
  readonly byHand?: number;
}

/** A day that is bad, but not unlikely. */
export const badDay: Required<FaultShares> = {
  requestLost: 0.01,
  responseLost: 0.02,
  failedBefore: 0.02,
  failedAfter: 0.01,
  throttled: 0.02,
  slow: 0.01,
  notificationLost: 0.02,
  notificationTwice: 0.05,
  notificationLate: 0.05,
  kills: 4,
  stops: 2,
  outages: 2,
  offline: 0.5,
  quotas: 1,
  slowModeration: 0.5,
  revocations: 0.1,
  clockDifferenceMs: 60_000,
};

/** What happens on a day, where nothing is said. */
export const usualLoad: Required<DailyLoad> = { questions: 50, sales: 16, messages: 24, cancellations: 2, byHand: 6 };
