import type { ApiError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { service } from '../support/service.ts';
import { errorOf } from '../support/stubs.ts';

// A list is read in pages: each entry is delivered once, whatever the service states, leaves unreadable, or rejects.

const several = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ id: `A${n}`, title: 'Chair' }));
const idsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `A${n}`);

interface Given {
  readonly limit?: number;
  /** What the page at an offset states. */
  readonly states?: (offset: number) => object;
  /** Which pages the service rejects, and how. */
  readonly rejects?: (offset: number, limit: number) => boolean;
  readonly status?: number;
}

/** What is delivered of a list, the requested pages, and the error if there is one. */
async function read(all: readonly unknown[], given: Given = {}) {
  const { limit = 2, states = () => ({}), rejects = () => false, status = 400 } = given;
  const requests: { readonly offset: number; readonly limit: number }[] = [];
  const { client } = service(
    (_, { url }) => {
      const query = new URL(url).searchParams;
      const page = { offset: Number(query.get('offset')), limit: Number(query.get('limit')) };
      requests.push(page);
      const paging = { total: all.length, ...page, ...states(page.offset) };
      return { results: all.slice(page.offset, page.offset + page.limit), paging };
    },
    {
      maxRetries: 0,
      middleware: [
        async ({ request }, next) => {
          const [offset, size] = ['offset', 'limit'].map((name) => Number(new URL(request.url).searchParams.get(name)));
          return rejects(offset!, size!) ? Response.json({ message: 'It is too large' }, { status }) : next(request);
        },
      ],
    },
  );
  const list = () => client.sites.search({ site_id: 'MLA', q: 'chair', limit });
  const ids: string[] = [];
  let endedEarly: true | undefined;
  let error: ApiError | undefined;
  try {
    for await (const page of list().pages()) {
      ids.push(...page.items.map(({ id }) => id));
      ({ endedEarly } = page);
    }
  } catch (failure) {
    error = failure as ApiError;
  }
  return {
    ids,
    endedEarly,
    error,
    whole: () => list().toArray(),
    offsets: requests.map(({ offset }) => offset),
    limits: requests.map((each) => each.limit),
  };
}

test('each entry of a list of any length is delivered once, but those that cannot be read', async () => {
  const lists = fc.record({
    count: fc.nat(12),
    limit: fc.integer({ min: 2, max: 5 }),
    // A page without an entry that can be read is an error, so they are no neighbours.
    wrong: fc.uniqueArray(
      fc.nat(3).map((n) => 3 * n),
      { maxLength: 2 },
    ),
  });
  const holds = async ({ count, limit, wrong }: { count: number; limit: number; wrong: number[] }): Promise<void> => {
    const isWrong = (index: number): boolean => count > 2 && wrong.includes(index);
    const all = several(count).map((each, index) => (isWrong(index) ? { title: 'without an id' } : each));
    const { ids, endedEarly, offsets } = await read(all, { limit });
    expect([ids, endedEarly]).toEqual([idsOf(count).filter((_, index) => !isWrong(index)), undefined]);
    expect(offsets.length).toBeLessThan(20);
  };
  await fc.assert(fc.asyncProperty(lists, holds), { numRuns: 400 });
});

test.each([
  [undefined, 3],
  [0, 3],
  [1, 1],
  [3, 3],
  [9, 3],
])('a service that states the limit %j is asked for %i at a time', async (stated, limit) => {
  const { limits, ids } = await read(several(7), { limit: 3, states: () => ({ limit: stated }) });
  expect(ids).toEqual(idsOf(7));
  expect(new Set(limits.slice(1))).toEqual(new Set([limit]));
});

test.each<[string, number, number, true | undefined]>([
  ['more than before', 3, 4, undefined],
  ['fewer than before', 4, 3, undefined],
  ['more than there are, from the first page on', 4, 4, true],
  ['fewer than there are', 2, 2, undefined],
])('a list of three that states %s: it has ended early: %s', async (_, first, later, expected) => {
  const { ids, endedEarly } = await read(several(3), { states: (offset) => ({ total: offset === 0 ? first : later }) });
  expect([ids, endedEarly]).toEqual([idsOf(3), expected]);
});

describe('of a service that rejects large offsets', () => {
  test.each([400, 416, 422, 404, 403])('the error with %i says which, and what was delivered', async (status) => {
    const { ids, error, whole } = await read(several(9), { rejects: (offset) => offset >= 3, status });
    expect([error, ids.length]).toMatchObject([{ status }, 4]);
    // Another status is not about the offset.
    const words = 'rejects the offset 3; 4 entries were delivered before it. Split the search';
    expect(error?.message.includes(words)).toBe([400, 416, 422].includes(status));
    const failure = await errorOf<ApiError>(whole());
    expect(failure.delivered?.map((each) => (each as { id: string }).id)).toEqual(idsOf(4));
    expect(Object.keys(failure)).not.toContain('delivered');
  });

  test.each<[string, (most: number) => NonNullable<Given['rejects']>]>([
    ['an offset', (most) => (offset) => offset >= most],
    ['a page that ends behind one', (most) => (offset, limit) => offset + limit > most],
  ])('each entry of the last page before is delivered, if it rejects %s', async (_, rejecting) => {
    for (const limit of [1, 2, 3, 4])
      for (let most = limit; most <= 9; most += 1) {
        const rejects = rejecting(most);
        const { ids, offsets, error } = await read(several(9), { limit, rejects });
        // Pages overlap by one entry.
        const step = Math.max(1, limit - 1);
        let last = 0;
        while (last + limit < 9 && !rejects(last + step, limit)) last += step;
        expect([limit, most, ids]).toEqual([limit, most, idsOf(Math.min(last + limit, 9))]);
        if (last + limit < 9) expect([limit, most, error]).toMatchObject([limit, most, { status: 400 }]);
        expect(new Set(offsets).size).toBe(offsets.length);
      }
  });

  test('a list that ends before ends without an error', async () => {
    expect(await read(several(9), { limit: 4, rejects: (offset) => offset >= 9 })).toMatchObject({
      ids: idsOf(9),
      error: undefined,
    });
  });

  test('a rejection of the first page is its error', async () => {
    const { ids, error, offsets } = await read(several(9), { rejects: () => true });
    expect([ids, offsets, error]).toMatchObject([[], [], { status: 400 }]);
    expect(error?.message).not.toContain('Split');
  });
});
