import { AuthenticationError, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { errorOf } from '../support/stubs.ts';

// A token that is not valid is seen with two bodies in the live service; the fake explains by default.

test.each([
  ['explained', 'invalid_token', 'The access token is not valid'],
  ['unauthorized', 'unauthorized', 'invalid access token'],
  ['not_found', 'not_found', 'invalid_token'],
] as const)('invalidToken %s: code %s, "%s"', async (invalidToken, code, text) => {
  const marketplace = new FakeMarketplace({ settings: { invalidToken } });
  const { user_id } = marketplace.addUser();
  const tokens = ['nonsense', marketplace.tokenFor({ user_id })];
  const seen: (string | undefined)[] = [];
  const seller = new SellerClient({
    baseUrl: 'https://api.example.com',
    fetch: marketplace.fetch,
    accessToken: ({ rejected }) => {
      seen.push(rejected);
      return rejected === undefined ? tokens[0]! : tokens[1]!;
    },
  });
  const error = await errorOf<AuthenticationError>(seller.currencies.list({}, { accessToken: 'nonsense' }));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect([error.status, error.code, error.serviceMessage]).toEqual([401, code, text]);
  // Whatever the body says, the client asks for another token, once.
  expect((await seller.currencies.list()).length).toBeGreaterThan(1);
  expect(seen).toEqual([undefined, 'nonsense']);
});
