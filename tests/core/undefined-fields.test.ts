import { ConnectionError, OutcomeUnknownError, RequestAbortedError } from 'marketplace-seller-sdk';
import { deliveryPromise, documentedError } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/endpoints.js';

// The types are the test: programs with `exactOptionalPropertyTypes` pass on a value that may be undefined.

test('an optional field of an option takes undefined, like a field that is left out', async () => {
  const marketplace = new FakeMarketplace({ now: '2026-03-02T12:00:00Z' });
  const user = marketplace.addUser();
  const item = marketplace.addItem({ seller_id: user.user_id });
  marketplace.clock.advance({ days: undefined, hours: 1, minutes: undefined, seconds: undefined, ms: undefined });
  expect(marketplace.clock.iso).toBe('2026-03-02T13:00:00.000Z');
  marketplace.viewPhone(item, { at: undefined, times: undefined });
  expect(marketplace.contacts.of('phone_view', () => true)).toMatchObject([{ at: marketplace.clock.ms, times: 1 }]);

  marketplace.ask({ from: marketplace.addUser(), item_id: item.item_id, text: 'Is it new?' });
  const client = marketplace.clientFor(user);
  const questions = client.questions.search({ seller_id: user.user_id });
  expect(await questions.toArray({ max: undefined })).toHaveLength(1);
  marketplace.failNext(endpoints.sites.search, { status: 400, message: 'No' }, { message: undefined, code: undefined });
  await expect(client.sites.search({ site_id: 'MLA' }).toArray()).rejects.toMatchObject({
    status: 400,
    code: 'bad_request',
  });
});

test('an optional field of an entry of the fake marketplace takes undefined', () => {
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser({ nickname: undefined }), marketplace.addUser({ site_id: undefined })];
  const item = marketplace.addItem({ seller_id: seller.user_id, title: undefined });
  expect(marketplace.items.change(item.item_id, { status: undefined }).status).toBe('active');
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id, shipping: undefined });
  expect(marketplace.packs.change(pack, { delivered: undefined }).delivered).toBe(false);
  expect(marketplace.messages.add(pack, { from: buyer.user_id, text: 'Hello', files: undefined }).files).toEqual([]);
  const { id } = marketplace.flex.subscribe({ user_id: seller.user_id, mode: undefined });
  expect(marketplace.flex.configure(id, { zones: undefined }).mode).toBe('FLEX');
});

test('an optional field of a description takes undefined', () => {
  const own: Endpoint = {
    ...endpoints.sites.search,
    inQuery: undefined,
    inHeader: undefined,
    query: undefined,
    requestBody: undefined,
    maxUploadBytes: undefined,
    responseBody: undefined,
    errorInBody: undefined,
    supportsAttributes: undefined,
  };
  expect(own.query).toBeUndefined();
  const error = { status: 400, message: 'No', matches: undefined, otherStatuses: undefined, didNothing: undefined };
  expect(documentedError({ ...error, error: undefined }).error.kind).toBe('BadRequestError');
  expect(deliveryPromise({ template: undefined, from: 9, to: 13 })).toEqual(deliveryPromise({ from: 9, to: 13 }));
  const options = { attempts: undefined };
  expect(new RequestAbortedError('no', { ...options, outcomeUnknown: undefined }).outcomeUnknown).toBe(false);
  expect([new ConnectionError('no', options), new OutcomeUnknownError('no', options)]).toMatchObject([
    { attempts: 1 },
    { attempts: 1 },
  ]);
});
