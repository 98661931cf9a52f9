import { array, boolean, integer, nullish, number, record, strictObject, string } from '../../core/schema/define.js';
import type { Output } from '../../core/schema/schema.js';
import type { Clock } from '../clock.js';
import { inField, readAs } from '../errors.js';
import type { RateLimit } from '../http/rate-limit.js';
import { ownToken } from '../seed/schema.js';
import { changeSettings, from, rateLimit, settingsChange, type MarketplaceSettings } from '../settings.js';
import { assertTopic, deliveryFaults, maxTimeoutMs, type CallbackSubscription } from '../webhooks/subscription.js';
import { bodyless, control, type Control, type ServedMarketplace } from './control.js';

const clockChange = strictObject({ set: nullish(string), advanceMs: nullish(number), running: nullish(boolean) });
interface ClockChange extends Output<typeof clockChange> {}

/** The control endpoints of the clock, the tokens, the storage, the settings and the rate limit. */
export const environmentControls: Readonly<Record<string, Control>> = {
  'GET /__fake/clock': bodyless('Returns the time', ({ clock }) => toClockView(clock)),

  'POST /__fake/clock': control(
    'Sets, advances, stops or runs the clock; it runs on from the time that it shows',
    clockChange,
    ({ clock }, change) => {
      changeClock(clock, change);
      return toClockView(clock);
    },
  ),

  'POST /__fake/tokens': control(
    'Issues an access token',
    strictObject({
      user_id: integer,
      application_id: nullish(integer),
      token: nullish(ownToken),
      expires_in: nullish(integer),
    }),
    ({ accounts }, { user_id, application_id, token, expires_in }) => {
      inField('user_id', () => accounts.getOrThrow(user_id));
      return {
        token: inField('token', () =>
          accounts.issueToken(user_id, application_id, token ?? undefined, expires_in ?? undefined),
        ),
      };
    },
  ),

  'POST /__fake/revoked-tokens': control(
    'Revokes an access token',
    strictObject({ token: string }),
    ({ accounts }, input) => inField('token', () => accounts.revokeToken(input.token)),
  ),

  'POST /__fake/expired-tokens': control(
    'Expires an access token',
    strictObject({ token: string }),
    ({ accounts }, input) => inField('token', () => accounts.expireToken(input.token)),
  ),

  'POST /__fake/authorization-codes': control(
    'Issues an authorization code for POST /oauth/token',
    strictObject({
      user_id: integer,
      application_id: nullish(integer),
      code_challenge: nullish(string),
      redirect_uri: nullish(string),
    }),
    ({ accounts }, { user_id, application_id, ...proof }) => {
      inField('user_id', () => accounts.getOrThrow(user_id));
      return { code: accounts.issueAuthorizationCode(user_id, application_id ?? undefined, withoutNulls(proof)) };
    },
  ),

  'POST /__fake/ended-grants': control(
    'Ends the grants of a user, to all applications or to one: its tokens are no longer valid',
    strictObject({ user_id: integer, application_id: nullish(integer) }),
    ({ accounts }, { user_id, application_id }) =>
      inField('user_id', () => accounts.endGrant({ user_id }, application_id ?? undefined)),
  ),

  'POST /__fake/storage': control(
    'Breaks or repairs the storage of files and messages',
    strictObject({ filesBroken: nullish(boolean), messagesUnavailable: nullish(boolean) }),
    ({ attachments, messages }, { filesBroken, messagesUnavailable }) => {
      attachments.isBroken = filesBroken ?? attachments.isBroken;
      messages.isUnavailable = messagesUnavailable ?? messages.isUnavailable;
    },
  ),

  'GET /__fake/settings': bodyless('Returns the settings and the rate limit', toSettingsView),

  'POST /__fake/settings': {
    summary: 'Changes settings',
    schema: settingsChange,
    run: ({ settings }, change) => changeSettings(settings, readAs(record, change)),
  },

  'POST /__fake/limit': control(
    'Sets the rate limit; an empty object removes it',
    rateLimit,
    ({ rateLimiter }, input) => {
      const limit = withoutNulls(input);
      rateLimiter.set(Object.keys(limit).length === 0 ? undefined : limit);
    },
  ),
};

/** Changes the clock, completely or not at all. */
function changeClock(clock: Clock, { set, advanceMs, running }: ClockChange): void {
  const restore = clock.checkpoint();
  try {
    if (typeof set === 'string') inField('set', () => clock.set(set));
    if (typeof advanceMs === 'number') inField('advanceMs', () => clock.advance({ ms: advanceMs }));
    if (running === false) clock.set(clock.ms);
    if (running === true) clock.run();
  } catch (error) {
    restore();
    throw error;
  }
}

/** The settings and the rate limit as plain data. */
interface SettingsView {
  readonly settings: Omit<MarketplaceSettings, 'moderate'>;
  readonly limit: RateLimit | null;
}

/** Serializes the settings and the rate limit. */
export function toSettingsView({ settings, rateLimiter }: ServedMarketplace): SettingsView {
  const { moderate: _, ...values } = settings;
  return { settings: values, limit: rateLimiter.limit ?? null };
}

function toClockView(clock: Clock): object {
  return { now: clock.iso, running: !clock.isStopped };
}

/** The control endpoints of notifications. */
export const notificationControls: Readonly<Record<string, Control>> = {
  'GET /__fake/notifications': bodyless(
    'Lists the delivery attempts, the scheduled ones and the subscriptions',
    ({ notifications }) => ({
      isHeld: notifications.isHeld,
      attempts: notifications.attempts,
      scheduled: notifications.scheduled,
      subscriptions: notifications.subscriptions.map(toSubscriptionView),
    }),
  ),

  'POST /__fake/flush': bodyless(
    'Posts all scheduled notifications now, retries included; moves a stopped clock to the time of the last one',
    async (marketplace) => {
      await marketplace.notifications.flush();
      return { attempts: marketplace.notifications.attempts.length };
    },
  ),

  'POST /__fake/notifications': control(
    'Subscribes a callback to events',
    strictObject({
      callback: string,
      topics: nullish(array(string)),
      user_ids: nullish(array(integer)),
      application_id: nullish(integer),
      timeoutMs: nullish(from(1, maxTimeoutMs)),
      faults: nullish(deliveryFaults),
    }),
    ({ accounts, notifications }, { faults, ...rest }) => {
      const init = { ...withoutNulls(rest), faults: withoutNulls(faults ?? {}) };
      const { topics = [], application_id } = init;
      for (const topic of topics) inField('topics', () => assertTopic(topic));
      if (application_id) inField('application_id', () => accounts.assertApplication(application_id));
      const { id } = inField('callback', () => notifications.subscribe(init));
      return { id };
    },
  ),

  'POST /__fake/ended-subscriptions': control(
    'Ends a subscription',
    strictObject({ id: integer }),
    ({ notifications }, { id }) => inField('id', () => notifications.unsubscribe(id)),
  ),

  'POST /__fake/held-notifications': control(
    'Holds new notifications until they are delivered by hand, or posts the held ones',
    strictObject({ held: boolean }),
    ({ notifications }, { held }) => {
      notifications.isHeld = held;
    },
  ),

  'POST /__fake/deliveries': control(
    'Delivers held notifications, or earlier ones again, in the given order',
    strictObject({ ids: array(string), subscription: nullish(integer), afterMs: nullish(integer) }),
    async ({ notifications }, { ids, ...options }) => {
      await notifications.deliver(ids, withoutNulls(options));
      return { attempts: notifications.attempts.length };
    },
  ),

  'POST /__fake/sent-notifications': control(
    'Sends a notification that no change caused: of any topic, or a forged one',
    strictObject({
      topic: string,
      resource: string,
      user_id: integer,
      application_id: nullish(integer),
      fields: nullish(record),
      subscription: nullish(integer),
      afterMs: nullish(integer),
    }),
    async ({ notifications }, { subscription, afterMs, ...notification }) => {
      const options = withoutNulls({ subscription, afterMs });
      return { ids: await notifications.send(withoutNulls(notification), options) };
    },
  ),

  'DELETE /__fake/notifications': bodyless('Ends all subscriptions and removes all attempts', ({ notifications }) =>
    notifications.reset(),
  ),
};

/** A subscription as plain data. */
export interface SubscriptionView {
  readonly id: number;
  readonly application_id: number;
  readonly callback: string | null;
  readonly topics: readonly string[];
}

/** Serializes a subscription. */
export function toSubscriptionView({ id, application_id, url, topics }: CallbackSubscription): SubscriptionView {
  return { id, application_id, callback: url, topics: [...topics] };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Drops `null` fields. */
export function withoutNulls<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;
}
