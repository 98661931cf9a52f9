import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { goldenRequests, requestsOf, sentBy, userAgent } from './support/golden-requests.ts';

goldenRequests<Pick<typeof endpoints, 'describe'>>({
  describe: { call: (client) => client.describe({ path: '/questions' }), request: ['OPTIONS /questions'] },
});

describe('every method sends the request that the specification documents', () => {
  const folder = join(import.meta.dirname, 'resources');
  const stories = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));

  test.each(Object.keys(endpoints).filter((name) => name !== 'describe'))(
    'a test in tests/resources has the golden requests of %s',
    (resource) => {
      const call = `goldenRequests<typeof endpoints.${resource}>({`;
      expect(
        stories.filter((text) => text.includes(call)),
        call,
      ).toHaveLength(1);
    },
  );

  test('a call without a token sends no authorization header', async () => {
    const sent = await requestsOf((client) => client.questions.get({ question_id: 42 }, { accessToken: null }));
    expect(sent.map(({ headers }) => [...headers])).toEqual([
      [
        ['accept', 'application/json'],
        ['user-agent', userAgent],
      ],
    ]);
  });

  test('`attributes` are sent as one comma list', async () => {
    const call = (client: SellerClient): PromiseLike<unknown> =>
      client.questions.get({ question_id: 42 }, { attributes: ['id', 'status'] });
    expect(await sentBy(call)).toEqual(['GET /questions/42?attributes=id%2Cstatus']);
  });
});
