import type { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

const json = (body: unknown, status = 200): Response => Response.json(body, { status });
const otherQuestion = { id: 99_999, item_id: 'MLA99999', status: 'UNANSWERED', text: 'Another', answer: null };
const date = '2020-01-01T00:00:00.000Z';
const otherMessage = {
  id: 'm-9',
  from: { user_id: 8 },
  text: 'Another',
  message_date: { created: date },
  message_resources: [{ id: '99999', name: 'packs' }],
};

/** What a service, a proxy or a cache may send in place of what is read back. None of it proves that nothing happened. */
const garbage: Readonly<Record<string, () => Response>> = {
  'an empty body': () => new Response('', { status: 200 }),
  'a 204': () => new Response(null, { status: 204 }),
  'a 205': () => new Response(null, { status: 205 }),
  null: () => json(null),
  '{}': () => json({}),
  '[]': () => json([]),
  'a number': () => json(7),
  'a text': () => json('ok'),
  true: () => json(true),
  'a list of null': () => json([null]),
  'a list that is null': () => json({ questions: null, messages: null, users: null, results: null, total: 0 }),
  'no list': () => json({ total: 0, paging: { total: 0 } }),
  'a list that is an object': () => json({ questions: {}, messages: {}, users: {}, total: 0, paging: { total: 0 } }),
  'an empty list with another total': () =>
    json({ questions: [], messages: [], users: [], total: 7, paging: { total: 7 } }),
  'an empty list without a total': () => json({ questions: [], messages: [], users: [] }),
  'an empty list of results': () => json({ results: [], paging: {} }),
  'an error as 200': () => json({ message: 'internal error', error: 'internal_server_error', status: 500, cause: [] }),
  'an error of GraphQL as 200': () => json({ errors: [{ message: 'internal error' }] }),
  'a 202': () => json({ questions: [], messages: [], users: [], total: 0, paging: { total: 0 } }, 202),
  'a 203': () => json({ questions: [], messages: [], users: [], total: 0, paging: { total: 0 } }, 203),
  'a 206': () => json({ questions: [], messages: [], users: [], total: 0, paging: { total: 0 } }, 206),
  'another question': () => json(otherQuestion),
  'another deleted question': () => json({ ...otherQuestion, status: 'DELETED' }),
  'the questions about another item': () => json({ questions: [otherQuestion], total: 1 }),
  'the messages of another pack': () => json({ messages: [otherMessage], paging: { total: 1 } }),
  'another configuration': () =>
    json({
      configuration: {
        subscription: { user_id: 99_999, service_id: 99_999 },
        delivery_window: 'another',
        zones: [],
        delivery_ranges: { week: null, saturday: null, sunday: null },
      },
    }),
  'a page of a proxy': () => new Response('<html>ok</html>', { headers: { 'content-type': 'text/html' } }),
  'a 404 of a proxy': () => new Response('<html>not found</html>', { status: 404 }),
  'an empty 404': () => new Response('', { status: 404 }),
  'a 401': () => json({ message: 'invalid token' }, 401),
  'a 403': () => json({ message: 'forbidden' }, 403),
  'a 500': () => json({ message: 'internal error' }, 500),
};

const confirmable = everyEndpoint.filter(({ endpoint }) => endpoint.confirm);

/** What proves something about one endpoint: no garbage for it. */
const proofs: Readonly<Record<string, readonly string[]>> = {
  'flex.items.enable': ['a 204'],
  'flex.items.disable': ['a 204'],
};

const garbageFor = (name: string): [string, () => Response][] =>
  Object.entries(garbage).filter(([what]) => !proofs[name]?.includes(what));

test.each(confirmable)(
  '$name, whose response is lost, stays unknown whatever of it is read back',
  async ({ name, endpoint, input }) => {
    const known: unknown[] = [];
    for (const [what, read] of garbageFor(name)) {
      const { sellerClient } = stubbed([networkFault('ECONNRESET'), read], { maxRetries: 0 });
      const error = await errorOf<OutcomeUnknownError>(sellerClient.call(endpoint, input));
      const confirmation = await error.confirm({ confirmWindowMs: 0 });
      if (typeof confirmation.unknown !== 'string' || 'done' in confirmation) known.push([what, confirmation]);
    }
    expect(known).toEqual([]);
  },
);

const unsafe = confirmable.filter(({ endpoint }) => endpoint.retry === 'unsafe');

// What stays unknown is shown above for each of them: here each comes once, and each endpoint several times.
test.each(unsafe)("$name with unknownOutcome: 'confirm' is sent once if it is read back", async (trial) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const share = garbageFor(trial.name).filter((_, at) => at % unsafe.length === unsafe.indexOf(trial));
  const again: string[] = [];
  for (const [what, read] of share) {
    let writes = 0;
    const service = (request: Request): Response | Promise<Response> => {
      if (request.method === 'GET') return read();
      writes += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const { sellerClient } = stubbed([service], { unknownOutcome: 'confirm', maxRetries: 2 });
    await advanceUntilSettled(errorOf(sellerClient.call(trial.endpoint, trial.input)));
    if (writes !== 1) again.push(`${what}: ${writes}`);
  }
  expect(share.length).toBeGreaterThan(1);
  expect(again).toEqual([]);
});
