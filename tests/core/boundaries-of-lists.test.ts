import { SellerClient } from 'marketplace-seller-sdk';
import type { ApiError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { service } from '../support/service.ts';
import { errorOf, receiving } from '../support/stubs.ts';

// Lists of none, one and two pages, with an entry that cannot be read, and at the largest offset that a service accepts.

const listing = (id: number): object => ({ id: `A${id}`, title: 'Chair' });
const pageIn = (url: string): { offset: number; limit: number } => {
  const query = new URL(url).searchParams;
  return { offset: Number(query.get('offset')), limit: Number(query.get('limit') ?? 2) };
};

/** What is delivered of a list that is served two at a time, the requested offsets, and the last page. */
async function read(all: readonly unknown[], more: (offset: number) => object = () => ({}), limit = 2) {
  const offsets: number[] = [];
  const limits: number[] = [];
  const { client } = service((_, { url }) => {
    const page = pageIn(url);
    offsets.push(page.offset);
    limits.push(page.limit);
    const paging = { total: all.length, limit: page.limit, offset: page.offset, ...more(page.offset) };
    return { results: all.slice(page.offset, page.offset + page.limit), paging };
  });
  const ids: string[] = [];
  let endedEarly: true | undefined;
  for await (const page of client.sites.search({ site_id: 'MLA', q: 'chair', limit }).pages()) {
    ids.push(...page.items.map(({ id }) => id));
    ({ endedEarly } = page);
  }
  return { ids, offsets, limits, endedEarly };
}
const several = (count: number): object[] => Array.from({ length: count }, (_, index) => listing(index));
const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `A${index}`);

test.each([0, 1, 2, 3, 4, 5])('of %i entries, each is delivered once', async (count) => {
  expect(await read(several(count))).toMatchObject({ ids: idsOf(count), endedEarly: undefined });
});

describe.each([2, 3, 4, 5])('of a list that is read %i at a time', (limit) => {
  const places = Array.from({ length: 9 }, (_, index) => index);

  test.each(places)('only the entry %i is left out, if it cannot be read', async (wrong) => {
    const { ids, endedEarly } = await read(several(9).with(wrong, { title: 'without an id' }), undefined, limit);
    expect([ids, endedEarly]).toEqual([idsOf(9).filter((_, index) => index !== wrong), undefined]);
  });

  test.each(places)('only two are left out, if %i and another one cannot be read', async (wrong) => {
    // A page without an entry that can be read is an error.
    for (const other of places.filter((each) => Math.abs(each - wrong) > 1 || limit > 2)) {
      const all = several(9).with(wrong, { title: 'one' }).with(other, { title: 'other' });
      const { ids, offsets } = await read(all, undefined, limit);
      expect(ids).toEqual(idsOf(9).filter((_, index) => index !== wrong && index !== other));
      expect(offsets.length).toBeLessThan(20);
    }
  });
});

test.each([
  [undefined, 3],
  [0, 3],
  [1, 1],
  [2, 2],
  [3, 3],
  [9, 3],
])('a service that states the limit %j is asked for %i at a time', async (stated, limit) => {
  const { limits, ids } = await read(several(7), () => ({ limit: stated }), 3);
  expect(ids).toEqual(idsOf(7));
  expect(new Set(limits.slice(1))).toEqual(new Set([limit]));
});

test.each<[string, number, number, true | undefined]>([
  ['as many as before', 3, 3, undefined],
  ['more than before', 3, 4, undefined],
  ['fewer than before', 4, 3, undefined],
  ['more than there are, from the first page on', 4, 4, true],
  ['fewer than there are', 2, 2, undefined],
])('a list of three that states %s: it has ended early: %s', async (_, first, later, expected) => {
  const { ids, endedEarly } = await read(several(3), (offset) => ({ total: offset === 0 ? first : later }));
  expect([ids, endedEarly]).toEqual([idsOf(3), expected]);
});

test.each([400, 416, 422, 404, 403])('a list whose offsets of 3 and more are rejected with %i', async (status) => {
  const all = several(9);
  const fetch = receiving(async (request) => {
    const { offset, limit } = pageIn(request.url);
    if (offset >= 3) return Response.json({ message: 'the offset is too large' }, { status });
    return Response.json({ results: all.slice(offset, offset + limit), paging: { total: 9, limit, offset } });
  });
  const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, maxRetries: 0 });
  const list = client.sites.search({ site_id: 'MLA', q: 'chair', limit: 2 }).toArray();
  const error = await errorOf<ApiError & { delivered: object[] }>(list);
  expect([error.status, error.delivered.length]).toEqual([status, 4]);
  // Another status is not about the offset.
  expect(error.message.includes('The service rejects the offset 3')).toBe([400, 416, 422].includes(status));
});

/** What is delivered of nine entries by a service that rejects some pages, and the requested pages. */
async function readBelow(limit: number | undefined, isRejected: (offset: number) => boolean) {
  const requests: string[] = [];
  const fetch = receiving(async (request) => {
    const { offset, limit: most } = pageIn(request.url);
    requests.push(`${offset}+${most}`);
    if (isRejected(offset)) return Response.json({ message: 'too large' }, { status: 400 });
    return Response.json({
      results: several(9).slice(offset, offset + most),
      paging: { total: 9, limit: most, offset },
    });
  });
  const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token', fetch, maxRetries: 0 });
  const list = client.sites.search({ site_id: 'MLA', q: 'chair', limit });
  const result = await list.toArray().catch((error: unknown) => (error as { delivered: { id: string }[] }).delivered);
  return { ids: result.map(({ id }) => id), requests, isWhole: Array.isArray(result) };
}

describe.each([1, 2, 3, 4])('of a list that is read %i at a time, by a service that rejects', (limit) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('offsets of %i and more, each entry of the last page before is delivered', async (first) => {
    const { ids, requests } = await readBelow(limit, (offset) => offset >= first);
    // Pages overlap by one entry.
    const step = Math.max(1, limit - 1);
    const last = Math.floor((first - 1) / step) * step;
    expect(ids).toEqual(idsOf(Math.min(last + limit, 9)));
    expect(new Set(requests).size).toBe(requests.length);
  });
}); // prettier-ignore
