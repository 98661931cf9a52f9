import { boolean, integer, nullish, number, strictObject, record, string } from '../../core/schema/define.js';
import type { Output } from '../../core/schema/schema.js';
import type { Clock } from '../clock.js';
import { readAs } from '../seed/read-as.js';
import { ownToken } from '../seed/schema.js';
import { changeSettings, rateLimit, settingsChange } from '../seed/settings-schema.js';
import { inField } from '../in-field.js';
import { bodyless, control } from './control.js';
import type { Control } from './control.js';
import { withoutNulls } from './notification-controls.js';
import type { RateLimit } from '../http/rate-limit.js';
import type { MarketplaceSettings } from '../settings.js';
import type { ServedMarketplace } from './served-marketplace.js';

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
