import { boolean, integer, nullish, number, params, record, string } from '../../core/schema/schema.js';
import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { bodyless, control } from './control.js';
import type { Control } from './control.js';

/** The control endpoints of the clock, the tokens, the storage, the settings and the rate limit. */
export const environmentControls: Readonly<Record<string, Control>> = {
  'GET /__fake/health': bodyless('Tells that the server runs', () => ({ status: 'ok' })),

  'POST /__fake/clock': control(
    'Sets, advances, stops or runs the clock',
    params({ set: nullish(string), advanceMs: nullish(number), running: nullish(boolean) }),
    ({ clock }, { set, advanceMs, running }) => {
      if (typeof set === 'string') setTime(clock, set);
      if (typeof advanceMs === 'number') clock.advance({ ms: advanceMs });
      if (running === false) clock.set(clock.ms);
      if (running === true) clock.run();
      return { now: clock.iso, running: !clock.isStopped };
    },
  ),

  'POST /__fake/tokens': control(
    'Issues an access token',
    params({
      user_id: integer,
      application_id: nullish(integer),
      token: nullish(string),
      expires_in: nullish(integer),
    }),
    ({ accounts }, { user_id, application_id, token, expires_in }) => ({
      token: accounts.issueToken(user_id, application_id, token ?? undefined, expires_in ?? undefined),
    }),
  ),

  'POST /__fake/revoked-tokens': control('Revokes an access token', params({ token: string }), ({ accounts }, input) =>
    accounts.revokeToken(input.token),
  ),

  'POST /__fake/expired-tokens': control('Expires an access token', params({ token: string }), ({ accounts }, input) =>
    accounts.expireToken(input.token),
  ),

  'POST /__fake/authorization-codes': control(
    'Issues an authorization code for POST /oauth/token',
    params({ user_id: integer, application_id: nullish(integer) }),
    ({ accounts }, { user_id, application_id }) => ({
      code: accounts.issueAuthorizationCode(user_id, application_id ?? undefined),
    }),
  ),

  'POST /__fake/storage': control(
    'Breaks or repairs the storage of files and messages',
    params({ filesBroken: nullish(boolean), messagesUnavailable: nullish(boolean) }),
    ({ attachments, messages }, { filesBroken, messagesUnavailable }) => {
      attachments.isBroken = filesBroken ?? attachments.isBroken;
      messages.isUnavailable = messagesUnavailable ?? messages.isUnavailable;
    },
  ),

  'POST /__fake/settings': control('Changes settings', record, ({ settings }, changes) => {
    assertFields('settings', changes, Object.keys(settings));
    const wrong = Object.entries(changes).find(([name, value]) => typeof value !== typeof settings[name as 'cors']);
    if (wrong) throw new FakeMarketplaceError(`\`${wrong[0]}\` has another type`);
    Object.assign(settings, changes);
  }),

  'POST /__fake/limit': control(
    'Sets the rate limit; an empty object removes it',
    params({ perSecond: nullish(integer), perMinute: nullish(integer), retryAfter: nullish(boolean) }),
    ({ rateLimiter }, { perSecond, perMinute, retryAfter }) => {
      const isEmpty = (perSecond ?? perMinute) === undefined || (perSecond ?? perMinute) === null;
      const [second, minute] = [perSecond ?? undefined, perMinute ?? undefined];
      const limit = { perSecond: second, perMinute: minute, retryAfter: retryAfter ?? undefined };
      rateLimiter.set(isEmpty ? undefined : limit);
    },
  ),
};

function setTime(clock: { set(time: string): void }, time: string): void {
  try {
    clock.set(time);
  } catch {
    throw new FakeMarketplaceError('`set` must be an ISO 8601 string');
  }
}
