import { OutcomeUnknownError, ServerError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { everyEndpoint } from './support/every-endpoint.ts';
import { errorOf, networkFault, stubbed } from './support/stubs.ts';

/** Sending one of these twice has the effect of sending it once, so a lost response is retried. */
const idempotentWrites = [
  'flex.setDelivery',
  'flex.addZones',
  'flex.items.enable',
  'flex.items.disable',
  'flexV2.setZones',
  'flexV2.setRadius',
  'flexV2.setDeliveryRanges',
  'flexV2.setHolidays',
  'flexV2.items.enable',
  'flexV2.items.disable',
];
/** The Flex configuration is read with a query in the body of a POST. */
const readsByPost = ['flex.configuration'];

const isRead = ({ name, endpoint }: (typeof everyEndpoint)[number]): boolean =>
  endpoint.method === 'GET' || endpoint.method === 'OPTIONS' || readsByPost.includes(name);
const reads = everyEndpoint.filter(isRead);
const writes = everyEndpoint.filter((each) => !isRead(each));
const unsafe = writes.filter(({ name }) => !idempotentWrites.includes(name));
const idempotent = writes.filter(({ name }) => idempotentWrites.includes(name));

describe('contract 7: a write is sent once, a read survives a fault', () => {
  test('the writes that may be sent twice are these', () => {
    expect(idempotent.map(({ name }) => name).sort()).toEqual([...idempotentWrites].sort());
    expect(reads.filter(({ endpoint }) => endpoint.method === 'POST').map(({ name }) => name)).toEqual(readsByPost);
  });

  describe.each(unsafe)('$name', ({ endpoint, input }) => {
    test('the write is sent once when the connection is reset, and its outcome is unknown', async () => {
      const { sellerClient, sent } = stubbed([networkFault('ECONNRESET')], { maxRetries: 2, maxRetryDelayMs: 1 });
      expect(await errorOf(sellerClient.call(endpoint, input))).toBeInstanceOf(OutcomeUnknownError);
      expect(sent).toHaveLength(1);
    });

    const statuses = [500, 502, 503, 504].flatMap((status) => [
      [status, {}],
      [status, { 'retry-after': '0' }],
    ]) as [number, Record<string, string>][];
    test.each(statuses)('the write is sent once when it fails with %i %j', async (status, headers) => {
      const failing = new Response('{}', { status, headers });
      const { sellerClient, sent } = stubbed([failing], { maxRetries: 2, maxRetryDelayMs: 1 });
      const error = await errorOf<ServerError>(sellerClient.call(endpoint, input));
      expect(error).toBeInstanceOf(ServerError);
      expect(error.outcomeUnknown).toBe(true);
      expect(sent).toHaveLength(1);
    });
  });

  test.each([...reads, ...idempotent])('$name is retried when the connection is reset', async ({ endpoint, input }) => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET')], { maxRetries: 2, maxRetryDelayMs: 1 });
    await errorOf(sellerClient.call(endpoint, input));
    expect(sent).toHaveLength(3);
  });

  test.each(reads)('$name never has an unknown outcome', async ({ endpoint, input }) => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET')], { maxRetries: 0 });
    expect(await errorOf(sellerClient.call(endpoint, input))).not.toBeInstanceOf(OutcomeUnknownError);
  });
});
