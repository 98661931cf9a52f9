import type { SellerClient } from '../client.js';
import type { ClientOptions } from '../core/options/client-options.js';
import { checkConfiguration, integerFrom, listOf, ofType, oneOf, type Rule } from '../core/options/rules.js';
import type { FakeMarketplace, FakeMarketplaceOptions } from '../testing/marketplace.js';
import type { Account } from '../testing/state/accounts.js';
import type { History } from './history.js';

/** What one start of a bot finds. */
export interface World {
  /** The sellers that the bot works for. Their ids are 7, 8, and so on. */
  readonly sellers: readonly Account[];
  /** The base URL for clients of one's own. Requests to it reach the marketplace through `fetch`. */
  readonly baseUrl: string;
  /** The marketplace, e.g. for `marketplace.tokenFor(seller)`. */
  readonly marketplace: FakeMarketplace;
  /** A folder that survives kills. It is deleted at the end. */
  readonly folder: string;
  /** Survives kills, and stands for a database: what is in it was committed. */
  readonly lasting: Map<string, unknown>;
  /** The number of this start: 1, and one more after each kill and stop. */
  readonly start: number;
  /** Creates the client of a seller, with the one access token that the seller has in this world. */
  client(user_id: number, options?: Partial<ClientOptions>): SellerClient;
  /** Adds a line to the trace. What the bot prints with `console` is there too. */
  log(text: string): void;
}

/** A running bot, as the simulation sees it. */
export interface Bot {
  /** Receives the notifications, e.g. `fetchHandler(inbox)`. Without it, none are sent. */
  callback?(request: Request): Response | Promise<Response>;
  /** The path at which the notifications are posted. @default that of the inbox of a `fetchHandler`, else `/notifications` */
  readonly path?: string | undefined;
  /** Stops the bot, as SIGTERM does. It has ten seconds; then it is killed. */
  stop?(): unknown;
  /** Counts what is left at the end, e.g. `inbox.stats()`, for `checks.nothingLeft`. */
  stats?(): (History['stats'] & {}) | Promise<History['stats'] & {}>;
}

/**
 * Says what is wrong with a run: one sentence per fault, or nothing.
 *
 * @example
 * await simulate({
 *   seeds: 1,
 *   bot: () => ({}),
 *   checks: [({ calls }) => (calls.length > 1000 ? [`${calls.length} calls a day`] : [])],
 * });
 */
export type Check = (history: History) => readonly string[];

/** The options of `simulate`. `Inputs` are the inputs of the marketplace's own operations. */
export interface SimulationOptions<Inputs extends readonly unknown[] = readonly unknown[]> {
  /** The seeds: those from 1 to a number, or a list. */
  readonly seeds: number | readonly number[];
  /** The days that are simulated for each seed. A quiet one follows. @default 1 */
  readonly days?: number;
  /** Builds the bot. It is called again after each kill and stop. */
  readonly bot: (world: World) => Bot | Promise<Bot>;
  /** What must hold at the end. @default `checks.usual` */
  readonly checks?: readonly Check[];
  /** What goes wrong. @default 'badDay' */
  readonly faults?: 'badDay' | 'none' | FaultShares;
  /** What happens on a day. @default some 120 events */
  readonly load?: {
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
  };
  /** How many sellers there are. @default 2 */
  readonly sellers?: number;
  /** Options of the fake marketplace. @default those of the live service */
  readonly marketplace?: FakeMarketplaceOptions<Inputs>;
  /** Answers the requests that do not go to the marketplace, e.g. to a language model. @default they are rejected */
  readonly outside?: (request: Request) => Response | Promise<Response>;
  /** Only these events and faults happen: the `only` of a `SimulationError`. @default all */
  readonly only?: readonly string[];
}

/** The shares of what goes wrong. */
export function sharesOf({ faults = 'badDay' }: Pick<SimulationOptions, 'faults'>): FaultShares {
  if (faults === 'badDay') return badDay;
  return faults === 'none' ? {} : faults;
}

/** @throws {ConfigurationError} when an option is unknown or wrong. */
export function assertOptions(options: SimulationOptions): void {
  const rules = {
    seeds: areSeeds,
    days: integerFrom(1),
    bot: ofType('function'),
    checks: listOf('function'),
    faults: areFaults,
    load: isObject,
    sellers: integerFrom(1),
    marketplace: isObject,
    outside: ofType('function'),
    only: listOf('string'),
  };
  checkConfiguration('simulate', options, rules, ['seeds', 'bot']);
  const { faults, load } = options;
  if (typeof faults === 'object')
    checkConfiguration(
      'simulate: `faults`',
      faults,
      rulesOf(badDay, (name) => (amounts.includes(name) ? isAmount : isShare)),
    );
  if (load)
    checkConfiguration(
      'simulate: `load`',
      load,
      rulesOf(usualLoad, () => isAmount),
    );
}

const isObject: Rule = (value) => (value === null ? 'takes an object' : ofType('object')(value));
const isAmount: Rule = (value) => (typeof value === 'number' && value >= 0 ? undefined : 'takes a number, at least 0');

const areFaults: Rule = (value) =>
  isObject(value) === undefined
    ? undefined
    : oneOf('badDay', 'none')(value) && "takes 'badDay', 'none' or an object of shares";

const areSeeds: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger)
    ? undefined
    : integerFrom(1)(value) && 'takes an integer, at least 1, or a list of integers';

const isShare: Rule = (value) => (Number(value) > 1 ? 'takes a number from 0 to 1' : isAmount(value));

/** What is counted by day, and the difference of the clocks. All others are shares. */
const amounts = [
  'kills',
  'stops',
  'outages',
  'offline',
  'quotas',
  'slowModeration',
  'revocations',
  'clockDifferenceMs',
];

function rulesOf(fields: object, ruleOf: (name: string) => Rule): Record<string, Rule> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, ruleOf(name)]));
}

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
export type DailyLoad = NonNullable<SimulationOptions['load']>;

/** A day that is bad, but not unlikely. */
const badDay: Required<FaultShares> = {
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
