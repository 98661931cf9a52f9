import { boolean, enumOf, integer, nullish, strictObject } from '../../core/schema/schema.js';

/** A rate limit of a control call or a command line. */
export const rateLimit = strictObject({
  perSecond: nullish(integer),
  perMinute: nullish(integer),
  per: nullish(enumOf('application', 'user')),
  retryAfter: nullish(boolean),
});
