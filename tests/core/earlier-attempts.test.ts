import { ForbiddenError, OutcomeUnknownError, RateLimitError } from 'marketplace-seller-sdk';
import type { ApiError, ClientOptions, RequestAbortedError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

const lost = networkFault('ECONNRESET');
const notConnected = networkFault('ECONNREFUSED');
const failing = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ message: 'no' }, { status, headers });

const addZones = (sellerClient: SellerClient, signal?: AbortSignal): PromiseLike<unknown> =>
  sellerClient.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1, zones: [{ id: 'z' }] }, { signal });

function setUp(steps: readonly Step[], options: Partial<ClientOptions> = {}): ReturnType<typeof stubbed> {
  return stubbed(steps, { maxRetryDelayMs: 1, ...options });
}

describe('an idempotent write of which an attempt may have been carried out', () => {
  test.each<readonly [string, readonly Step[], string]>([
    ['a lost response and a refused connection', [lost, notConnected], 'ConnectionError'],
    ['a 500 and a refused connection', [failing(500), notConnected], 'ConnectionError'],
    [
      'a lost response, a refused connection and a 429',
      [lost, notConnected, failing(429), notConnected],
      'ConnectionError',
    ],
  ])('has an unknown outcome after %s', async (_, steps, cause) => {
    const { sellerClient } = setUp(steps, { maxRetries: 3 });
    const error = await errorOf<OutcomeUnknownError>(addZones(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    // A 429 that concerns all calls does not count as a retry of this one.
    const attempts = 4 + steps.filter((step) => step instanceof Response && step.status === 429).length;
    expect(error).toMatchObject({ attempts, cause: { name: cause } });
    expect(error.message).toContain('an earlier attempt that may have succeeded');
  });

  test.each<readonly [number, typeof ApiError, Record<string, string>, number]>([
    [403, ForbiddenError, {}, 2],
    [429, RateLimitError, {}, 4],
    [429, RateLimitError, { 'retry-after': '3600' }, 2],
  ])('keeps the class of a %i, which says that the outcome is unknown', async (...row) => {
    const [status, errorClass, headers, attempts] = row;
    const { sellerClient, sent } = setUp([lost, failing(status, headers)]);
    const error = await errorOf<ApiError>(addZones(sellerClient));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ status, attempts, outcomeUnknown: true });
    expect(error.message).toContain('An earlier attempt may have been carried out');
    expect(sent).toHaveLength(attempts);
  });

  test('says so if a 429 of another call keeps it from being sent again', async () => {
    const { sellerClient } = setUp([
      async () => {
        await errorOf(addZones(sellerClient));
        throw lost;
      },
      failing(429, { 'retry-after': '3600' }),
    ]);
    const error = await errorOf<RateLimitError>(addZones(sellerClient));
    expect(error).toMatchObject({ status: 429, attempts: 1, outcomeUnknown: true });
    expect(error.message).toMatch(/was not sent.*An earlier attempt may have been carried out/);
  });

  test('has an unknown outcome if the token function fails after a 401', async () => {
    const { sellerClient } = setUp([lost, failing(401)], {
      accessToken: ({ rejected }) => {
        if (rejected !== undefined) throw new Error('revoked');
        return 'token-1';
      },
    });
    const error = await errorOf(addZones(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ cause: { name: 'AccessTokenError' } });
  });

  test('has an unknown outcome if a middleware fails before the retry is sent', async () => {
    let turn = 0;
    const { sellerClient, sent } = setUp([lost], {
      middleware: [
        async ({ request }, next) => {
          turn += 1;
          if (turn > 1) throw new Error('the signing key is gone');
          return next(request);
        },
      ],
    });
    const error = await errorOf(addZones(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('the signing key is gone');
    expect(sent).toHaveLength(1);
  });

  test('has an unknown outcome if it is aborted after a refused connection', async () => {
    const controller = new AbortController();
    const abort = (): never => {
      setTimeout(() => controller.abort(), 5);
      throw notConnected;
    };
    const { sellerClient } = setUp([lost, abort], { maxRetries: 9, maxRetryDelayMs: 60_000 });
    const error = await errorOf<RequestAbortedError>(addZones(sellerClient, controller.signal));
    expect(error).toMatchObject({ name: 'AbortError', outcomeUnknown: true });
  });

  test('has an unknown outcome if the deadline ends a wait after a refused connection', async () => {
    const { sellerClient } = setUp([lost, notConnected], { maxRetries: 99, maxRetryDelayMs: 40, deadlineMs: 200 });
    expect(await errorOf(addZones(sellerClient))).toBeInstanceOf(OutcomeUnknownError);
  });

  test.each<readonly [string, readonly Step[]]>([
    ['a refused connection', [notConnected]],
    ['a 429 and a 403', [failing(429), failing(403)]],
    ['a 401 and a 403', [failing(401), failing(403)]],
  ])('is no such write after %s', async (_, steps) => {
    const accessToken = ({ rejected }: { rejected?: string | undefined }): string => (rejected ? 'token-2' : 'token-1');
    const error = await errorOf<ApiError>(addZones(setUp(steps, { accessToken }).sellerClient));
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.outcomeUnknown).not.toBe(true);
  });

  test.each(['no connection', 'a 403'] as const)('can be confirmed, also if the retry got %s', async (last) => {
    const { marketplace, sellerClient, seller } = createMarketplace({ maxRetryDelayMs: 1 });
    const { service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
    const whose = { site_id: seller.site_id, user_id: seller.user_id, service_id };
    const endpoint = endpoints.flex.setDelivery;
    marketplace.faults.inject({ reset: 'after', endpoint });
    if (last === 'a 403') marketplace.faults.inject({ status: 403, endpoint });
    let writes = 0;
    const restarting = sellerClient.withOptions({
      middleware: [
        async ({ request, endpoint: { name } }, next) => {
          if (name === endpoint.name) writes += 1;
          if (last === 'no connection' && name === endpoint.name && writes > 1) throw notConnected;
          return next(request);
        },
      ],
    });
    const week = [{ from: 8, to: 20, capacity: 33, cutoff: 12 }];
    const error = await errorOf<OutcomeUnknownError>(
      restarting.flex.setDelivery({ ...whose, delivery_ranges: { week } }),
    );
    expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({ done: true, output: undefined });
  });
});
