import { describe, expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { service } from '../support/service.ts';

// A list is read in pages: each entry is delivered once, whatever the service states, leaves unreadable, or rejects.

const several = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ id: `A${n}`, title: 'Chair' }));
const idsOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `A${n}`);

interface Given {
  readonly limit?: number;
  /** What the page at an offset states. */
  readonly states?: (offset: number) => object;
  /** The first offset that the service rejects, and how. */
  readonly rejected?: number;
  readonly status?: number;
}

/** What is delivered of a list, the requested pages, and the error if there is one. */
async function read(all: readonly unknown[], given: Given = {}) {
  const { limit = 2, states = () => ({}), rejected = Infinity, status = 400 } = given;
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
          const offset = Number(new URL(request.url).searchParams.get('offset'));
          return offset >= rejected ? Response.json({ message: 'the offset is too large' }, { status }) : next(request);
        },
      ],
    },
  );
  const ids: string[] = [];
  let endedEarly: true | undefined;
  let error: Error | undefined;
  try {
    for await (const page of client.sites.search({ site_id: 'MLA', q: 'chair', limit }).pages()) {
      ids.push(...page.items.map(({ id }) => id));
      ({ endedEarly } = page);
    }
  } catch (failure) {
    error = failure as Error;
  }
  return {
    ids,
    endedEarly,
    error,
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
    const { ids, error } = await read(several(9), { rejected: 3, status });
    expect([error, ids.length]).toMatchObject([{ status }, 4]);
    // Another status is not about the offset.
    expect(error?.message.includes('The service rejects the offset 3')).toBe([400, 416, 422].includes(status));
  });

  test('each entry of the last page before is delivered', async () => {
    for (const limit of [1, 2, 3, 4])
      for (let rejected = 1; rejected <= 9; rejected += 1) {
        const { ids, offsets } = await read(several(9), { limit, rejected });
        // Pages overlap by one entry.
        const step = Math.max(1, limit - 1);
        const last = Math.floor((rejected - 1) / step) * step;
        expect([limit, rejected, ids]).toEqual([limit, rejected, idsOf(Math.min(last + limit, 9))]);
        expect(new Set(offsets).size).toBe(offsets.length);
      }
  });
});
