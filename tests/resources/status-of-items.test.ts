import { expect, test } from 'vitest';
import { service } from '../support/service.ts';

// The status of items is read for 20 at a time, and each is named by its id.

const some = (count: number): string[] => Array.from({ length: count }, (_, index) => `MLA${index}`);
const idsIn = (url: string): string[] => (new URL(url, 'https://api.test').searchParams.get('ids') ?? '').split(',');

test.each([
  [1, [1]],
  [20, [20]],
  [21, [20, 1]],
  [40, [20, 20]],
  [41, [20, 20, 1]],
])('%i items are read in requests of %j, and the response is that of the last', async (count, sizes) => {
  for (const ids of [some(count), some(count).map((_, index) => index + 1)]) {
    const statusOf = (id: string): string => (id === String(ids[1]) ? 'paused' : 'active');
    const { client, paths } = service((_, { url }) =>
      idsIn(url)
        .map((id) => ({ code: 200, body: { id, status: statusOf(id) } }))
        .toReversed(),
    );
    const { data, response } = await client.items.status({ ids }).withResponse();
    expect(data).toMatchObject(ids.map((id) => ({ id: String(id), status: statusOf(String(id)) })));
    expect(paths.map((path) => idsIn(path).length)).toEqual(sizes);
    expect(idsIn(response.url)).toEqual(ids.slice(-sizes.at(-1)!).map(String));
  }
});

test.each([1, 20, 21, 41])(
  'without ids in the responses, of %i only one that was asked for alone is known',
  async (count) => {
    const { client, paths } = service((_, { url }) => idsIn(url).map(() => ({ status: 'active' })));
    const isAlone = (index: number): boolean => index === count - 1 && count % 20 === 1;
    const expected = some(count).map((id, index) => ({ id, ...(isAlone(index) && { status: 'active' }) }));
    expect(await client.items.status({ ids: some(count) })).toEqual(expected);
    expect(paths.length).toBe(Math.floor(count / 20) * 2 + (count % 20));
  },
);

test('an entry that cannot be named leaves those of another request as they are', async () => {
  const { client } = service((_, { url }) => {
    const asked = idsIn(url);
    return asked.length === 20 ? asked.map((id) => ({ id, status: 'active' })).toReversed() : [{ status: 'paused' }];
  });
  const found = await client.items.status({ ids: some(22) });
  expect(found.map(({ id }) => id)).toEqual(some(22));
  expect(found.map(({ status }) => status)).toEqual([...Array<string>(20).fill('active'), undefined, undefined]);
});

test.each([[['A', 'A']], [['A', 'B', 'A']], [['B', 'A', 'A']]])('each of %j is asked for once', async (ids) => {
  const { client, paths } = service((_, { url }) => idsIn(url).map((id) => ({ code: 200, body: { id, status: id } })));
  expect((await client.items.status({ ids })).map(({ id }) => id)).toEqual(ids);
  expect(paths.map((path) => idsIn(path).length)).toEqual([new Set(ids).size]);
});
